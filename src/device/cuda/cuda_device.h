/* cuda_device.h -- an open CUDA device, for the files of the cuda backend.
 *
 * A kernel that goes astray makes its context useless. Then the context is destroyed, a new one is made
 * and `generation` grows; workspaces and plans of an older generation hold nothing on the device any
 * more and bring their data up again when they are next used. */
#ifndef BP_DEVICE_CUDA_DEVICE_H
#define BP_DEVICE_CUDA_DEVICE_H

#include "device/cuda/cuda.h"
#include "device/cuda/cuda_context.h"

/* Device memory between two guard zones of `guard` doubles, 256-byte aligned; .data 0: none. */
typedef struct {
  const char *name;
  bp_cu_pointer zone, data;
  int64_t count, guard; /* doubles */
} bp_cuda_array;

typedef struct {
  bp_device base;
  bp_cuda_info info;
  const bp_cuda_calls *calls;
  bp_cuda_context *context; /* NULL after it was lost and no new one could be had */
  int generation;
  bool graph; /* replay instead of launching */
  int64_t threads_max, block_max[3];
  bp_plan *flush; /* reads more than the L2 holds; made when first needed */
} bp_cuda_device;

bp_status bp_cuda_device_create(const bp_device_options *options, bp_device **device);
void bp_cuda_device_destroy(bp_device *device);

/* BP_ENVIRONMENT when the device is lost for good. First thing in every call of the backend. */
bp_status bp_cuda_enter(bp_cuda_device *device);

/* What came of running `what`: BP_OK for `result` 0, else BP_WRONG with a message. When the context was
 * lost there is a new one (or BP_ENVIRONMENT, when that cannot be had). */
bp_status bp_cuda_outcome(bp_cuda_device *device, bp_cu_result result, const char *what);

/* After a call that failed: makes a new context where this one is lost, and says whether it was. An error
 * may come out only later than the kernel that made it. bp_message() stays. */
bool bp_cuda_revive(bp_cuda_device *device);

/* ---- arrays ---- */

/* BP_ENVIRONMENT, with what was needed and what is free, when there is no room. */
bp_status bp_cuda_array_create(bp_cuda_device *device, const char *name, int64_t count,
                               bool guarded, bp_cuda_array *array);
void bp_cuda_array_destroy(bp_cuda_device *device, bp_cuda_array *array);
bp_status bp_cuda_array_write(bp_cuda_device *device, bp_cuda_array *array, const double *values);
bp_status bp_cuda_array_read(bp_cuda_device *device, const bp_cuda_array *array, double *values);

/* All become NaN; all become 0. */
bp_status bp_cuda_array_poison(bp_cuda_device *device, bp_cuda_array *array);
bp_status bp_cuda_array_clear(bp_cuda_device *device, bp_cuda_array *array);

/* BP_WRONG when something was written beside it. */
bp_status bp_cuda_array_check(bp_cuda_device *device, const bp_cuda_array *array);

#endif
