/* peaks.c -- timing the kernels of problem "peaks". */
#include "measure/peaks.h"

#include <math.h>
#include <string.h>

/* Two worlds, two files, one limit: "gpu-fma" is the device's "fma". */
static const char *limit_of(const bp_variant *variant)
{
  return strncmp(variant->name, "gpu-", 4) == 0 ? variant->name + 4 : variant->name;
}

void bp_peaks_create(bp_device *device, bp_peaks *peaks)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  *peaks = (bp_peaks){0};
  for (int n = 0; n < count && peaks->count < BP_PEAKS_MAX; ++n) {
    const bp_variant *v = &all[n];
    if (strcmp(v->problem, "peaks") != 0 || v->language != device->backend->language ||
        !(v->flops || v->shared_traffic))
      continue;
    bp_choice choice = bp_choice_standard(v);
    bp_peak *peak = &peaks->items[peaks->count];
    *peak = (bp_peak){limit_of(v), v->flops ? "GFLOPS" : "GB/s", 0, NULL};
    peaks->count += bp_peak_create(device, &choice, &peak->plan) == BP_OK;
  }
}

void bp_peaks_destroy(bp_peaks *peaks)
{
  for (int n = 0; n < peaks->count; ++n)
    bp_plan_destroy(peaks->items[n].plan);
  peaks->count = 0;
}

void bp_peak_note(bp_peak *peak, double seconds)
{
  peak->value = fmax(peak->value, 1e-9 * peak->plan->work / seconds);
}

/* For half a second: a busy machine shows its peak only now and then. */
static void measure(bp_peak *peak)
{
  enum { SAMPLES_MIN = 60, SAMPLES_MAX = 100000 };
  const double enough = 0.5;
  double spent = 0, seconds;
  for (int n = 0; n < SAMPLES_MAX && (n < SAMPLES_MIN || spent < enough); ++n) {
    if (bp_plan_time(peak->plan, 1, false, &seconds))
      return;
    bp_peak_note(peak, seconds);
    spent += seconds;
  }
}

bp_peak *bp_peak_find(bp_peaks *peaks, const char *name)
{
  for (int n = 0; n < peaks->count; ++n)
    if (strcmp(peaks->items[n].name, name) == 0)
      return &peaks->items[n];
  return NULL;
}

double bp_peak_reached(bp_peaks *peaks, const char *name, double reached)
{
  bp_peak *peak = bp_peak_find(peaks, name);
  if (!peak)
    return NAN;
  if (reached > peak->value)
    measure(peak);
  peak->value = fmax(peak->value, reached);
  return peak->value;
}
