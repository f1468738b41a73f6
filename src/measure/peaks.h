/* peaks.h -- the limits of a device that no operator can pass, measured by small kernels: the
 * variants of problem "peaks" (kernels/peaks) that declare flops or shared traffic. */
#ifndef BP_MEASURE_PEAKS_H
#define BP_MEASURE_PEAKS_H

#include "device/machine.h"

enum { BP_PEAKS_MAX = 16 };

typedef struct {
  const char *name; /* "fma", "tensor", "shared" */
  const char *unit; /* "GFLOPS" or "GB/s" */
  double value;     /* the best of some samples: a peak is what can be reached */
} bp_peak;

/* Those that this device can run; returns their number. */
int bp_peaks_measure(bp_device *device, bp_peak peaks[BP_PEAKS_MAX]);

#endif
