/* cuda_shape.h -- the size of a choice's launches by the expressions of its header, and whether a
 * device can have them. */
#ifndef BP_DEVICE_CUDA_SHAPE_H
#define BP_DEVICE_CUDA_SHAPE_H

#include "device/cuda/cuda_plan.h"

typedef struct {
  int sm;
  int64_t sms, threads_max, block_max[3], shared_max;
} bp_cuda_limits;

bp_cuda_limits bp_cuda_limits_of(const bp_cuda_device *device);

/* Fills in shapes[] of the variant's launches and *scratch, in doubles. BP_OK with *fits false
 * where the device cannot have them; bp_message() says why. BP_BAD_INPUT: an expression is wrong.
 */
bp_status bp_cuda_shapes(const bp_cuda_limits *limits, const bp_choice *choice,
                         const bp_operator *op, int degree, int64_t elements,
                         bp_cuda_shape shapes[BP_LAUNCHES_MAX], int64_t *scratch, bool *fits);

#endif
