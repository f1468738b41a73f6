/* pencil.h -- one-dimensional contractions of a pencil that a thread holds in registers, split into even
 * and odd parts: half the products. Entries of I and D are operands from constant memory, or, if a kernel says so, from
 * registers.
 *
 * With e[b] = x[b] + x[n-1-b] (x[b] in the middle) and o[b] = x[b] - x[n-1-b], rows a and n-1-a of the
 * result are p + q and p - q (interpolation) or q - p (differentiation), where p sums over e, q over o. */
#ifndef BP_KERNELS_PENCIL_H
#define BP_KERNELS_PENCIL_H

#include "lib/operator/flux.h"

#include "operators.h"

/* The halves of I and D in a thread's registers; or none there, but in constant memory. */
typedef struct {
  real I_even[BP_HALF(BP_NC)][BP_HALF(BP_NQ)], I_odd[BP_HALF(BP_NC)][BP_HALF(BP_NQ)];
  real D_even[BP_HALF(BP_NC)][BP_HALF(BP_NC)], D_odd[BP_HALF(BP_NC)][BP_HALF(BP_NC)];
} pencil_matrices;

#define IN_CONSTANTS                ((const pencil_matrices *)0)
#define PENCIL_ENTRY(m, half, a, b) ((m) ? (m)->half[a][b] : bp_##half[a][b])

/* Loads the entries, where the kernel has defined BP_OPERATOR as BP_GLOBAL. Those that are not used
 * cost nothing. */
BP_DEVICE const pencil_matrices *pencil_load_matrices(pencil_matrices *m)
{
  BP_UNROLL
  for (int a = 0; a < BP_HALF(BP_NC); ++a) {
    BP_UNROLL
    for (int b = 0; b < BP_HALF(BP_NQ); ++b) {
      m->I_even[a][b] = bp_load_cached(&bp_I_even[a][b]);
      m->I_odd[a][b] = bp_load_cached(&bp_I_odd[a][b]);
    }
    BP_UNROLL
    for (int b = 0; b < BP_HALF(BP_NC); ++b) {
      m->D_even[a][b] = bp_load_cached(&bp_D_even[a][b]);
      m->D_odd[a][b] = bp_load_cached(&bp_D_odd[a][b]);
    }
  }
  return m;
}

/* One line of constants, 64 bytes, per lane. `found` is never true, but the compiler does not know
 * that and keeps the load. */
#define PENCIL_PREFETCH_LINE(half, found)                                                          \
  do {                                                                                             \
    const unsigned lines = (sizeof(half) + 63) / 64, line = bp_lane();                             \
    if (line < lines)                                                                              \
      (found) |= (&half[0][0])[(line + blockIdx.x) % lines * (64 / sizeof(real))] > (real)1e30;    \
  } while (0)

/* By what a kernel takes derivatives. */
typedef enum { PENCIL_NONE, PENCIL_D, PENCIL_DI } pencil_derivative;

/* By threads that wait for the first data: brings the halves of I and of `derivative` into the
 * constant caches. A kernel begins with cold constant caches, and its first products would wait for
 * one line after the other: 4 us for 18 lines, since all multiprocessors want the same line at
 * once. So blocks begin with different lines. The last two warps of the `threads` do it, or the
 * last one if there are only two or no derivative; the first warp issues copies. What does not fit
 * into the lanes of the last warp comes when it is needed. */
BP_DEVICE void pencil_prefetch_constants(int threads, pencil_derivative derivative)
{
  [[maybe_unused]] BP_SHARED(int, never, [1]);
  const int last = (threads - 1) / 32, before = last > 1 ? last - 1 : last;
  bool found = false;
  if (!BP_COLLOCATED && bp_warp() == last) {
    PENCIL_PREFETCH_LINE(bp_I_even, found);
    PENCIL_PREFETCH_LINE(bp_I_odd, found);
  }
  if (derivative == PENCIL_D && bp_warp() == before) {
    PENCIL_PREFETCH_LINE(bp_D_even, found);
    PENCIL_PREFETCH_LINE(bp_D_odd, found);
  }
#if !BP_COLLOCATED
  if (derivative == PENCIL_DI && bp_warp() == before) {
    PENCIL_PREFETCH_LINE(bp_DI_even, found);
    PENCIL_PREFETCH_LINE(bp_DI_odd, found);
  }
#endif
  if (found)
    *(volatile int *)never = 1; /* without it the compiler drops both, store and loads */
}

/* e and o of the n values of x; o of the middle is 0. */
BP_DEVICE void pencil_split(const real *x, int n, real *e, real *o)
{
  BP_UNROLL
  for (int b = 0; b < n / 2; ++b) {
    e[b] = x[b] + x[n - 1 - b];
    o[b] = x[b] - x[n - 1 - b];
  }
  if (n % 2) {
    e[n / 2] = x[n / 2];
    o[n / 2] = 0;
  }
}

/* Adds to `sum` the products of n values, values[b], with the entry that is told by b. */
#define PENCIL_SUM(sum, n, entry, values)                                                          \
  BP_UNROLL                                                                                        \
  for (int b = 0; b < (n); ++b)                                                                    \
  sum += (entry) * (values)[b]

/* Halves of a matrix: their entries [a][b] are at [a * output_step + b * input_step]. */
typedef struct {
  const real *even, *odd;
  int output_step, input_step;
} pencil_halves;

#define PENCIL_HALVES(m, matrix, output_step, input_step)                                          \
  {                                                                                                \
    (m) ? (m)->matrix##_even[0] : bp_##matrix##_even[0],                                           \
        (m) ? (m)->matrix##_odd[0] : bp_##matrix##_odd[0], output_step, input_step                 \
  }

/* to[a] = sum over b of matrix[a][b] from[b], or added to what is there. The matrix is the same when mirrored
 * (1: interpolation) or changes its sign (-1: differentiation). */
BP_DEVICE void pencil_contract(pencil_halves half, int sign, bool add, int inputs, int outputs,
                               const real *from, real *to)
{
  real e[BP_HALF(BP_NC)], o[BP_HALF(BP_NC)];
  pencil_split(from, inputs, e, o);
  BP_UNROLL
  for (int a = 0; a < BP_HALF(outputs); ++a) {
    real p = 0, q = 0;
    PENCIL_SUM(p, BP_HALF(inputs), half.even[a * half.output_step + b * half.input_step], e);
    PENCIL_SUM(q, inputs / 2, half.odd[a * half.output_step + b * half.input_step], o);
    const int mirror = outputs - 1 - a;
    to[a] = add ? to[a] + (p + q) : p + q;
    if (a != mirror) {
      const real mirrored = sign > 0 ? p - q : q - p;
      to[mirror] = add ? to[mirror] + mirrored : mirrored;
    }
  }
}

/* to[c] = sum over q of I[c][q] from[q] */
BP_DEVICE void pencil_interpolate(const pencil_matrices *m, const real *from, real *to)
{
  const pencil_halves I = PENCIL_HALVES(m, I, BP_HALF(BP_NQ), 1);
  pencil_contract(I, 1, false, BP_NQ, BP_NC, from, to);
}

/* to[q] = sum over c of I[c][q] from[c] */
BP_DEVICE void pencil_project(const pencil_matrices *m, const real *from, real *to)
{
  const pencil_halves I = PENCIL_HALVES(m, I, 1, BP_HALF(BP_NQ));
  pencil_contract(I, 1, false, BP_NC, BP_NQ, from, to);
}

/* to[a] = sum over b of D[a][b] from[b] */
BP_DEVICE void pencil_differentiate(const pencil_matrices *m, const real *from, real *to)
{
  const pencil_halves D = PENCIL_HALVES(m, D, BP_HALF(BP_NC), 1);
  pencil_contract(D, -1, false, BP_NC, BP_NC, from, to);
}

/* to[a] += sum over b of D[b][a] from[b]: the halves of D change places. */
BP_DEVICE void pencil_add_transposed(const pencil_matrices *m, const real *from, real *to)
{
  const pencil_halves D = PENCIL_HALVES(m, D, 1, BP_HALF(BP_NC));
  const pencil_halves transposed = {D.odd, D.even, D.output_step, D.input_step};
  pencil_contract(transposed, -1, true, BP_NC, BP_NC, from, to);
}

/* to[a] = sum over b of D[b][a] from[b] */
BP_DEVICE void pencil_transposed(const pencil_matrices *m, const real *from, real *to)
{
  BP_UNROLL
  for (int a = 0; a < BP_NC; ++a)
    to[a] = 0;
  pencil_add_transposed(m, from, to);
}

/* Middle row of the transposed: D[b][m] is antisymmetric in b, so only o counts, and bp_D_odd is 0. */

BP_DEVICE void pencil_load(const real *from, int stride, int n, real *x)
{
  BP_UNROLL
  for (int m = 0; m < n; ++m)
    x[m] = from[m * stride];
}

BP_DEVICE void pencil_store(real *to, int stride, int n, const real *x)
{
  BP_UNROLL
  for (int m = 0; m < n; ++m)
    to[m * stride] = x[m];
}

/* The same to memory, of what is not read again soon. */
BP_DEVICE void pencil_store_streaming(real *to, int stride, int n, const real *x)
{
  BP_UNROLL
  for (int m = 0; m < n; ++m)
    bp_store_streaming(to + m * stride, x[m]);
}

/* Point by point down a column of BP_NC points: gradient to flux. The r part is at cr and the s
 * part at cs, slab_r and slab_s from point to point, the t part in ut; wu becomes lambda W u. `f`
 * points to the first of the factors of the column, which lie as factors[c][k][j][i]. */
BP_DEVICE void pencil_metric(const real *f, real lambda, real *cr, int slab_r, real *cs, int slab_s,
                             real *ut, real *wu)
{
  BP_UNROLL
  for (int k = 0; k < BP_NC; ++k)
    flux(f + k * BP_NC * BP_NC, BP_NC * BP_NC * BP_NC, lambda, cr + k * slab_r, cs + k * slab_s,
         &ut[k], &wu[k]);
}

#endif
