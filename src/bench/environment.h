/* environment.h -- facts about this machine and this build that explain a number later. */
#ifndef BP_BENCH_ENVIRONMENT_H
#define BP_BENCH_ENVIRONMENT_H

#include "device/plan.h"
#include "report/record.h"

/* Adds version, build, operating system, processor, memory, governor, load and the device's own. */
void bp_environment_add(bp_record *record, const bp_device *device);

/* What `git describe` said of the tree that bp was built from. */
const char *bp_environment_git(void);

#endif
