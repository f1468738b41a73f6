/* progress.h -- a line that says what is being compiled, for whoever listens to the device. */
#ifndef BP_DEVICE_PROGRESS_H
#define BP_DEVICE_PROGRESS_H

#include "device/device.h"

typedef struct {
  bp_device *device;
  const bp_build *builds;
  int count;
  const char *target; /* "avx512" */
  bool *is_done;      /* [count] */
} bp_build_progress;

/* Says what comes first. */
void bp_build_progress_start(bp_build_progress *progress, bp_device *device, const bp_build *builds,
                             int count, const char *target);
/* One has ended, well or not. May be called by several threads. */
void bp_build_progress_done(bp_build_progress *progress, int number);
/* The line goes. */
void bp_build_progress_end(bp_build_progress *progress);

#endif
