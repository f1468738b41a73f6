/* gpu.h -- what there is to tell of NVIDIA GPUs: for `bp info` and for the record of a run. */
#ifndef BP_CMD_GPU_H
#define BP_CMD_GPU_H

#include "kernel/plan.h"
#include "report/record.h"

/* A line for each GPU of this machine, as --device counts them; nothing without a driver. */
void bp_gpu_print_all(void);

/* Driver, compiler, architecture, clocks, power limit and the cost of a launch of an open device of the
 * cuda backend; nothing for other devices. */
void bp_gpu_add_facts(bp_record *record, bp_device *device);

#endif
