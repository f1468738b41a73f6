/* exact.h -- sums of numbers that are the same bits in whatever order they are added: by threads, by ranks.
 *
 * A number is cut into parts, multiples of as many units; the rest is less than half of the last one and
 * dropped. Sums of each part are exact as long as the sum of all numbers' sizes is not above the bound that the units were made
 * for, so their order is no matter, and a number can be taken out again. With at most 2^c terms the error is below
 * 2^(4c - 205) of the bound, of three parts (exact_gpu.h) 2^(3c - 154). Bounds of conjugate gradients:
 *
 *   r . r at first: bounds[0]
 *   p . A p <= L |p|^2, where L = bounds[1] is no less than the largest eigenvalue of A, and |p| <= |r| + beta |p before|
 *   |A p|^2 <= L^2 |p|^2: far too much where p is smooth, hence the fourth part
 *   r . r afterwards: |r - alpha A p|^2 <= 2 (r . r + alpha^2 |A p|^2) <= 2 r . r (1 + alpha L)
 *   2^c = bounds[2] */
#ifndef BP_KERNELS_SOLVE_EXACT_H
#define BP_KERNELS_SOLVE_EXACT_H

#include "abi/ranks.h"
#include "abi/simd.h"

enum { EXACT_PARTS = 4 };

/* What rounds to each unit when it is added and taken away again. */
typedef struct {
  double round[EXACT_PARTS];
} exact_units;

typedef struct {
  double part[EXACT_PARTS];
} exact_sum;

/* One for each lane. */
typedef struct {
  bp_vector part[EXACT_PARTS];
} exact_sums;

/* The compiler must not make one operation of a product and what follows: only one of its many
 * copies of a loop
 * would do so. */
#if defined(__x86_64__)
#define EXACT_IN "+x"
#elif defined(__aarch64__)
#define EXACT_IN "+w"
#else
#define EXACT_IN "+m"
#endif
#define EXACT_NUMBER(x) __asm__("" : EXACT_IN(x))

/* The power of two above `bound`, by its exponent. */
BP_INLINE double exact_power(double bound)
{
  union {
    double number;
    uint64_t bits;
  } up = {bound < 1e-250 ? 1e-250 : bound};
  up.bits = (up.bits & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000);
  return up.number;
}

BP_INLINE exact_units exact_units_of(double bound, double terms)
{
  const double unit = 0x1p-51, step = terms * unit;
  exact_units u;
  u.round[0] = 3 * exact_power(bound);
  for (int n = 1; n < EXACT_PARTS; ++n)
    u.round[n] = u.round[n - 1] * step;
  return u;
}

BP_INLINE void exact_add(const exact_units *u, exact_sum *sum, double x)
{
  EXACT_NUMBER(x);
  for (int n = 0; n < EXACT_PARTS; ++n) {
    double rounded = x + u->round[n];
    EXACT_NUMBER(rounded);
    const double part = rounded - u->round[n];
    sum->part[n] += part;
    x -= part;
  }
}

BP_INLINE void exact_add_lanes(const exact_units *u, exact_sums *sums, bp_vector x)
{
  EXACT_NUMBER(x);
  for (int n = 0; n < EXACT_PARTS; ++n) {
    bp_vector rounded = x + u->round[n];
    EXACT_NUMBER(rounded);
    const bp_vector part = rounded - u->round[n];
    sums->part[n] += part;
    x -= part;
  }
}

BP_INLINE void exact_add_sums(exact_sum *sum, const exact_sums *sums)
{
  for (int n = 0; n < EXACT_PARTS; ++n)
    for (int l = 0; l < BP_LANES; ++l)
      sum->part[n] += sums->part[n][l];
}

BP_INLINE double exact_total(const exact_sum *sum)
{
  return sum->part[0] + sum->part[1] + sum->part[2] + sum->part[3];
}

#endif
