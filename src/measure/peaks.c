/* peaks.c -- timing the kernels of problem "peaks". */
#include "measure/peaks.h"

#include <math.h>
#include <string.h>

/* The fastest of some samples, in work per nanosecond; 0 when it cannot run here. */
static double best_rate(bp_device *device, const bp_variant *variant)
{
  enum { SAMPLES_MIN = 60, SAMPLES_MAX = 100000 };
  const double enough = 0.5; /* seconds: a busy machine shows its peak only now and then */
  bp_choice choice = bp_choice_standard(variant);
  bp_plan *plan;
  double fastest = INFINITY, spent = 0, seconds;
  if (bp_peak_create(device, &choice, &plan))
    return 0;
  for (int n = 0; n < SAMPLES_MAX && (n < SAMPLES_MIN || spent < enough); ++n) {
    if (bp_plan_time(plan, 1, false, &seconds))
      break;
    fastest = seconds < fastest ? seconds : fastest;
    spent += seconds;
  }
  double rate = isfinite(fastest) ? 1e-9 * plan->work / fastest : 0;
  bp_plan_destroy(plan);
  return rate;
}

/* Two worlds, two files, one limit: "gpu-fma" is the device's "fma". */
static const char *limit_of(const bp_variant *variant)
{
  return strncmp(variant->name, "gpu-", 4) == 0 ? variant->name + 4 : variant->name;
}

int bp_peaks_measure(bp_device *device, bp_peak peaks[BP_PEAKS_MAX])
{
  int count, found = 0;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count && found < BP_PEAKS_MAX; ++n) {
    const bp_variant *v = &all[n];
    if (strcmp(v->problem, "peaks") != 0 || v->language != device->backend->language ||
        !(v->flops || v->shared_traffic))
      continue;
    double rate = best_rate(device, v);
    if (rate > 0)
      peaks[found++] = (bp_peak){limit_of(v), v->flops ? "GFLOPS" : "GB/s", rate};
  }
  return found;
}
