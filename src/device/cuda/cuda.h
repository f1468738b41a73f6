/* cuda.h -- what the commands may ask about CUDA devices beyond the calls of device.h. */
#ifndef BP_DEVICE_CUDA_H
#define BP_DEVICE_CUDA_H

#include "device/device.h"

typedef struct {
  int number; /* as --device takes it */
  char name[128];
  char pci[32]; /* "0000:3b:00.0" */
  int sm;       /* 90 for sm_90 */
  int multiprocessors;
  int64_t memory_bytes, l2_bytes;
  int64_t shared_per_multiprocessor, shared_per_block; /* the latter when asked for specially */
  double sm_mhz, memory_mhz;                           /* by the driver: the highest */
  double peak_bytes_per_second;                        /* memory clock x 2 x bus width */
} bp_cuda_info;

/* All devices; free *infos with bp_free. BP_ENVIRONMENT, with a line that says why, without any. */
bp_status bp_cuda_list(bp_cuda_info **infos, int *count);

/* Of a device of the cuda backend. */
const bp_cuda_info *bp_cuda_device_info(const bp_device *device);

/* "CUDA 13.0, NVRTC 13.0": of the driver and of the compiler, once a device was opened. Free with
 * bp_free. */
char *bp_cuda_versions(void);

/* Of a device that is in this process: puts launches into the caller's stream, a CUstream; NULL: the default
 * one. Allocates nothing, waits for nothing, may be captured. */
bp_status bp_cuda_issue_steps(bp_device *device, const bp_step *steps, int count, void *stream,
                              const char *what);

/* The context that is current in this thread, to be made current again; NULL: none. */
void *bp_cuda_current(void);
void bp_cuda_make_current(void *context);

/* Does not return in a process that this backend has started (bp_device_worker). */
void bp_cuda_become_worker(void);

#endif
