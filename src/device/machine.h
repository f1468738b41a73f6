/* machine.h -- what a device itself can do, by plans without a problem: its fastest copy, its peaks, the
 * cost of a launch, and caches that hold nothing of what comes next. */
#ifndef BP_DEVICE_MACHINE_H
#define BP_DEVICE_MACHINE_H

#include "device/plan.h"

/* A copy of `bytes` bytes, which reads and writes as many; the fastest that the machine knows, with a cold
 * or a hot cache. */
bp_status bp_copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan);

/* Bytes per second of writing alone, beyond the caches; the best of several ways. BP_SKIPPED where times mean
 * nothing. */
bp_status bp_write_measure(bp_device *device, double *bytes_per_second);

/* A kernel that reaches a peak, `peaks/fma`, in plan->work flops or bytes. */
bp_status bp_peak_create(bp_device *device, const bp_choice *choice, bp_plan **plan);

/* Seconds from one launch of a kernel that does nothing to the next, many in a row. */
bp_status bp_launch_seconds(bp_device *device, double *seconds);

/* The device's own plan that leaves nothing else in its caches; NULL where there are none to speak of. */
bp_status bp_machine_flush(bp_device *device, bp_plan **flush);

/* What of it is better compiled together with others, by bp_plans_build; returns how many. */
enum { BP_MACHINE_BUILDS_MAX = 16 };
int bp_machine_builds(const bp_device *device, bp_build builds[BP_MACHINE_BUILDS_MAX]);

#endif
