/* exact.h -- sums of numbers that are the same bits in whatever order they are added: by threads, by ranks.
 *
 * A number is cut into three parts, multiples of as many units, by adding it to numbers so large that they end with
 * these units; the rest is less than half of the last one and dropped. Sums of each part are exact as long as the sum of
 * all numbers' sizes is not above the bound that the units were made for, so their order is no matter, and a number can
 * be taken out again. With at most 2^c terms the error is below 2^(3c - 154) of the bound. Bounds of conjugate
 * gradients, where L = bounds[1] is no less than the largest eigenvalue of A:
 *
 *   r . r at first: bounds[0]
 *   r . r afterwards: |r - alpha A p|^2 <= 2 (r . r + alpha^2 |A p|^2) <= 2 r . r (1 + alpha L)
 *   p . A p, of p = r + beta q: the root is at most |r| L^(1/2) + beta (q . A q)^(1/2)
 *   |A p| <= L |r| + beta |A q|
 *   2^c = bounds[2]
 *
 * Kernels multiply by 2.01 instead of 2 and by 1.01 instead of 1: these bounds are rounded, too.
 *
 * Without exact sums a sum has one part and is a usual one.
 *
 * size: exact_sums = 0 -- 1: in a kernel file for ranks */
#ifndef BP_KERNELS_SOLVE_EXACT_H
#define BP_KERNELS_SOLVE_EXACT_H

#include "abi/ranks.h"
#include "abi/simd.h"

enum { EXACT_PARTS = EXACT_SUMS ? BP_SOLVE_PARTS : 1 };

/* What each part is added to at first. */
typedef struct {
  double start[EXACT_PARTS];
} exact_units;

/* Of each lane, on top of that. */
typedef struct {
  bp_wide part[EXACT_PARTS];
} exact_sum;

/* What a register has of it: all, or half of what comes from floats. */
typedef double exact_piece __attribute__((vector_size(BP_VECTOR), may_alias));
enum { EXACT_PIECES = sizeof(bp_wide) / BP_VECTOR };

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
  exact_units u = {{0}};
  if (!EXACT_SUMS)
    return u;
  u.start[0] = 3 * exact_power(bound);
  for (int n = 1; n < EXACT_PARTS; ++n)
    u.start[n] = u.start[n - 1] * step;
  return u;
}

BP_INLINE exact_sum exact_start(const exact_units *u)
{
  exact_sum sum;
  for (int n = 0; n < EXACT_PARTS; ++n)
    sum.part[n] = u->start[n] + (bp_wide){0};
  return sum;
}

/* The last bit is set so that no number lies in the middle between two multiples of a unit: which one it
 * goes to would depend on the sum. */
BP_INLINE void exact_add(exact_sum *sum, bp_vector number)
{
  typedef int64_t bits __attribute__((vector_size(BP_VECTOR)));
  const bp_wide wide = BP_WIDE(number);
  if (!EXACT_SUMS) {
    sum->part[0] += wide;
    return;
  }
  for (int p = 0; p < EXACT_PIECES; ++p) {
    exact_piece x = ((const exact_piece *)&wide)[p];
    EXACT_NUMBER(x);
    for (int n = 0; n < EXACT_PARTS; ++n) {
      exact_piece *const part = (exact_piece *)&sum->part[n] + p;
      const exact_piece before = *part;
      exact_piece after = before + (exact_piece)((bits)x | 1);
      EXACT_NUMBER(after);
      x -= after - before;
      *part = after;
    }
  }
}

/* Part n of all lanes. */
BP_INLINE double exact_part(const exact_units *u, const exact_sum *sum, int n)
{
  double part = 0;
  for (int l = 0; l < BP_LANES; ++l)
    part += sum->part[n][l] - u->start[n];
  return part;
}

#endif
