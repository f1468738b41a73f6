/* wave_device.h -- steps of the wave equation on a device: a variant of kernels/wave. */
#ifndef BP_SOLVE_WAVE_DEVICE_H
#define BP_SOLVE_WAVE_DEVICE_H

#include "solve/scheme.h"
#include "solve/wave.h"

/* Plans of scheme->workspace are its runs. */
typedef struct {
  const bp_wave *wave; /* the caller's; its points are those of when this was made */
  bp_scheme *scheme;
  double *now;
  double *before, *inverse_mass, *signals, *traces, *x; /* as long as the operands */
  int32_t steps;
} bp_wave_device;

/* Begins with `now` and, a step before, `before`. */
bp_status bp_wave_device_create(bp_device *device, const bp_wave *wave, const double *now,
                                const double *before, bool guarded, bp_wave_device **made);
void bp_wave_device_destroy(bp_wave_device *device); /* NULL is legal */

/* A plan of so many steps, at most those of the problem. BP_SKIPPED: the variant cannot run here, and why. */
bp_status bp_wave_device_plan(bp_wave_device *device, const bp_choice *choice, int steps,
                              bp_plan **plan);

/* Where the next run begins. */
bp_status bp_wave_device_set(bp_wave_device *device, const double *now, const double *before);

/* What the sources do in the next run: signals[source * steps + step]. */
bp_status bp_wave_device_signal(bp_wave_device *device, const double *signals, int steps);

/* plan->iterations steps; the values after them and before the last. traces[receiver * steps + step],
 * unless NULL: after each step. */
bp_status bp_wave_device_run(bp_wave_device *device, bp_plan *plan, double *now, double *before,
                             double *traces);

#endif
