/* peaks.h -- the limits of a device that no operator can pass, measured by small kernels: the variants of
 * problem "peaks" (kernels/peaks) that declare flops or shared traffic. They are sampled in turns with what
 * is timed, and the best sample of a run counts: a peak is what can be reached. */
#ifndef BP_MEASURE_PEAKS_H
#define BP_MEASURE_PEAKS_H

#include "device/machine.h"

enum { BP_PEAKS_MAX = 16 };

typedef struct {
  const char *name; /* "fma", "tensor", "shared" */
  const char *unit; /* "GFLOPS" or "GB/s" */
  double value;     /* in 1e9 per second; 0: not yet measured */
  bp_plan *plan;
} bp_peak;

typedef struct {
  bp_peak items[BP_PEAKS_MAX];
  int count;
} bp_peaks;

/* Those that this device can run, none of them measured. */
void bp_peaks_create(bp_device *device, bp_peaks *peaks);
void bp_peaks_destroy(bp_peaks *peaks);

/* One application took so long. */
void bp_peak_note(bp_peak *peak, double seconds);

/* NULL: there is none of that name. */
bp_peak *bp_peak_find(bp_peaks *peaks, const char *name);

/* The peak that bounds a kernel which was seen to reach so much; NaN: there is none of that name. A kernel
 * above it says that the peak was measured in a bad moment: it is measured again, and is no less than what
 * was reached. */
double bp_peak_reached(bp_peaks *peaks, const char *name, double reached);

#endif
