/* placement.h -- where ranks run: processors, GPU, and the memory (NUMA node) that each is near. */
#ifndef BP_BENCH_PLACEMENT_H
#define BP_BENCH_PLACEMENT_H

#include "device/device.h"
#include "report/record.h"

/* Together: a fact "rank R" of each; nothing with one rank. */
void bp_placement_add(bp_record *record, const bp_device *device);

/* Of processors "0-3,8" and nodes whose own are in DIRECTORY/node0/cpulist, ...: "0,1"; "" without such
 * files. */
void bp_placement_nodes(const char *processors, const char *directory, char *nodes, size_t size);

#endif
