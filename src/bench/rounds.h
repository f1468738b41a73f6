/* rounds.h -- what is sampled in turns: the kernels of a case and, in the same rounds, what their figures
 * are held against: the copy of as many bytes, launches of nothing in the kernels' shapes, the device's
 * peaks. */
#ifndef BP_BENCH_ROUNDS_H
#define BP_BENCH_ROUNDS_H

#include "measure/peaks.h"
#include "measure/sampler.h"

typedef struct {
  bp_sampled *items; /* the copy, the peaks, launches of nothing, the kernels */
  int count;
  int *kernel, *empty; /* of each plan: its place, and that of launches in its shape; 0: none */
  int *core;           /* that of the same kernel on so few elements that L2 holds them; 0: none */
  bp_peaks *peaks;
} bp_rounds;

/* `plans` has `count` items, some of them NULL. Destroy it in any case. */
bp_status bp_rounds_create(bp_device *device, bp_plan *const *plans, int count, int64_t bytes,
                           bool cold, bp_peaks *peaks, bp_rounds *rounds);
void bp_rounds_destroy(bp_rounds *rounds);

/* Samples all of it; nothing where there is no kernel. A copy that waited is sampled again, alone. */
void bp_rounds_run(bp_rounds *rounds, const bp_sampling *sampling);

/* The median of what plan n costs without its work; NaN where it was not measured. */
double bp_rounds_overhead(const bp_rounds *rounds, int n);

/* The median of what plan n would take if all its data were in L2; NaN where it was not measured. */
double bp_rounds_core(const bp_rounds *rounds, int n);

#endif
