/* check_large.h -- a choice on so many elements that indices pass what 32 bits count. */
#ifndef BP_CMD_CHECK_LARGE_H
#define BP_CMD_CHECK_LARGE_H

#include "device/device.h"
#include "fem/problem.h"
#include "registry/choice.h"

/* On as many elements as have `entries` factors, of gradients and pairs results, and as many as `few` has
 * behind those, which begin beyond; all repeat those of `few`, on which u gives `reference`. BP_SKIPPED:
 * too many nodes. */
bp_status bp_check_large(bp_device *device, const bp_choice *choice, const bp_problem *few,
                         int64_t entries, const double *u, const double *reference,
                         int64_t *elements);

#endif
