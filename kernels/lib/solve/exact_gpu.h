/* exact_gpu.h -- exact.h on a GPU: sums that are the same bits in whatever order they are added.
 * Without them a sum has one part and is a usual one.
 *
 * size: exact_sums = 0 -- 1: in a kernel file for ranks */
#ifndef BP_KERNELS_SOLVE_EXACT_GPU_H
#define BP_KERNELS_SOLVE_EXACT_GPU_H

#include "abi/gpu.h"
#include "abi/ranks.h"

enum { EXACT_PARTS = EXACT_SUMS ? BP_SOLVE_PARTS : 1 };

/* With exact sums each part lies on top of what it began with, 3/2 of a power of two, and keeps that
 * exponent. */
typedef struct {
  double part[EXACT_PARTS];
} exact_sum;

/* 0; with exact sums, of at most `terms` numbers whose sizes have no larger a sum than `bound`. */
BP_DEVICE exact_sum exact_start(double bound, double terms)
{
  exact_sum s = {{0}};
  if (EXACT_SUMS) {
    const double step = bp_multiply(terms, ldexp(1.0, -51));
    s.part[0] = bp_multiply(3, bp_power_above(bound < 1e-250 ? 1e-250 : bound));
    BP_UNROLL
    for (int n = 1; n < EXACT_PARTS; ++n)
      s.part[n] = bp_multiply(s.part[n - 1], step);
  }
  return s;
}

/* An odd number lies in the middle between no two multiples of a unit: see exact.h. */
BP_DEVICE void exact_add(exact_sum *s, double x)
{
  if (EXACT_SUMS) {
    BP_UNROLL
    for (int n = 0; n < EXACT_PARTS; ++n) {
      const double before = s->part[n];
      x = bp_odd(x);
      s->part[n] += x;
      x -= s->part[n] - before;
    }
  } else {
    s->part[0] += x;
  }
}

BP_DEVICE double exact_part(const exact_sum *s, int n)
{
  return EXACT_SUMS ? s->part[n] - bp_multiply(0.75, bp_power_above(s->part[n])) : s->part[n];
}

#endif
