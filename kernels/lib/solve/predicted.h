/* predicted.h -- conjugate gradients in three kernels an iteration, the operator's with one vector in and one
 * out: apply, v = A p, p . v and v . v inside elements; surface, v at surface nodes and the rest of v . v;
 * update, r -= alpha v, p = r + beta p, r . r and now and then x. To be included before the kernel `apply`.
 *
 * So beta is wanted before r is there. Since r . v = p . v, and alpha = r . r / p . v,
 *
 *   r' . r' = r . r - 2 alpha r . v + alpha^2 v . v = alpha^2 v . v - r . r
 *
 * (G. Meurant, 1984). Each iteration adds up r . r anew from r itself, for alpha, so the formula's rounding
 * error is that of one step. With a preconditioner r is z = r / diagonal, r . r is r . z and v . v is
 * v . v / diagonal.
 *
 * p has KEPT vectors; x is updated every KEPT-1 iterations, by all but the one that is written. The
 * option update_blocks says how many blocks of surface and of update share a multiprocessor.
 *
 * size: scheme = 4 -- predicted
 * size: vectors = 1 -- that come with an item: p */
#ifndef BP_KERNELS_SOLVE_PREDICTED_H
#define BP_KERNELS_SOLVE_PREDICTED_H

#include "lib/solve/assemble.h"
#include "lib/solve/batches.h"

/* The direction of iteration k. */
BP_DEVICE real *direction_of(real *p, int k, size_t stride)
{
  return p + k % KEPT * (BP_FIELDS * stride);
}

BP_DEVICE iteration iteration_of(const solve_arrays *a)
{
  iteration it = {0};
  it.k = a->counts[COUNT_COMPLETED];
  it.r_before = it.p_before = direction_of(a->p, it.k, a->stride);
  it.v = a->ap;
  it.diagonal = a->diagonal;
  it.copies = a->copies;
  it.stride = a->stride;
  it.elements = a->elements;
  return it;
}

BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, const exact_sum *energy,
                             double *buffer)
{
  real x[2] = {energy->part[0], it->vv};
  sums_block_many(x, 2, buffer);
  if (bp_thread() != 0)
    return;
  a->state[SUMS_PAP + blockIdx.x] = x[0];
  a->state[SUMS_VV + blockIdx.x] = x[1];
  if (blockIdx.x == 0)
    a->counts[COUNT_APPLY_BLOCKS] = bp_blocks();
}

/* The directions of iterations `first` to k that x lacks. */
BP_DEVICE unsigned directions_since(int first, int k)
{
  unsigned which = 0;
  for (; first <= k; ++first)
    which |= 1u << first % KEPT;
  return which;
}

enum { PAIRS = 2 }; /* of unknowns that a thread of update loads at once */

/* r -= alpha v and then p = r + beta p, to `next`, for a chunk of pairs from the n-th on. */
BP_DEVICE void update_pairs_directions(double2 *r, const double2 *v, const double2 *p,
                                       double2 *next, const double2 *d, int n, int pairs,
                                       real alpha, real beta, residual_sums *sums)
{
  double2 a[PAIRS], b[PAIRS], c[PAIRS], e[PAIRS];
  BP_UNROLL
  for (int t = 0; t < PAIRS; ++t)
    if (n + t * VECTOR_THREADS < pairs) {
      a[t] = r[n + t * VECTOR_THREADS];
      b[t] = v[n + t * VECTOR_THREADS];
      c[t] = p[n + t * VECTOR_THREADS];
      e[t] = BP_JACOBI ? d[n + t * VECTOR_THREADS] : make_double2(1, 1);
    }
  BP_UNROLL
  for (int t = 0; t < PAIRS; ++t)
    if (n + t * VECTOR_THREADS < pairs) {
      const double2 y = make_double2(residual_after(a[t].x, b[t].x, alpha, e[t].x),
                                     residual_after(a[t].y, b[t].y, alpha, e[t].y));
      r[n + t * VECTOR_THREADS] = y;
      next[n + t * VECTOR_THREADS] = make_double2(y.x + beta * c[t].x, y.y + beta * c[t].y);
      sums_add(sums, y.x, e[t].x);
      sums_add(sums, y.y, e[t].y);
    }
}

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  start_vectors(&arrays, buffer);
}

BP_KERNEL_BOUNDED(surface, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  const unknown_kinds u = unknown_kinds_of(&arrays);
  const surface_lists lists = surface_lists_of(&arrays);
  const assembled_place to = {ap, 0, 1, 0};
  bp_let_next_begin();
  bp_wait_for_previous();
  const double sum =
      assemble_copies(&u, (long long)elements * ELEMENT_SURFACE, &to, diagonal, &lists);
  sums_leave(sum, state + SUMS_SURFACE, buffer);
  if (blockIdx.x > 0)
    return;
  const int k = counts[COUNT_COMPLETED], count = counts[COUNT_RR_BLOCKS];
  const double rr = sums_total(state + SUMS_RR, count, buffer),
               norm = BP_JACOBI ? sums_total(state + SUMS_NORM, count, buffer) : rr;
  if (bp_thread() == 0) {
    state[k % 2] = rr;
    counts[COUNT_CURRENT] = k;
    counts[COUNT_VV_BLOCKS] = bp_blocks();
    residuals[k] = norm;
  }
}

BP_KERNEL_BOUNDED(update, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [64]);
  SOLVE_ARRAYS(arrays);
  bp_let_next_begin();
  bp_wait_for_previous();
  const int k = counts[COUNT_CURRENT], pairs = (unknowns + 1) / 2;
  real totals[2] = {0, 0}; /* p . v, v . v */
  for (int n = bp_thread(); n < counts[COUNT_APPLY_BLOCKS]; n += bp_threads()) {
    totals[0] += state[SUMS_PAP + n];
    totals[1] += state[SUMS_VV + n];
  }
  for (int n = bp_thread(); n < counts[COUNT_VV_BLOCKS]; n += bp_threads())
    totals[1] += state[SUMS_SURFACE + n];
  sums_block_many(totals, 2, buffer);
  const real rr = state[k % 2], alpha = sums_ratio(rr, totals[0]),
             next = alpha * alpha * totals[1] - rr, noise = 1e-13 * rr, /* of the formula */
      beta = next > noise ? sums_ratio(next, rr) : 0;
  const real *const now = direction_of(p, k, stride);
  real *const then = direction_of(p, k + 1, stride);
  residual_sums sums = residual_start(0, &arrays);
  for (int c = (int)blockIdx.x; c * (PAIRS * VECTOR_THREADS) < pairs; c += (int)gridDim.x)
    for (int f = 0; f < BP_FIELDS; ++f) {
      const size_t field = (size_t)f * stride;
      update_pairs_directions(
          (double2 *)(r + field), (const double2 *)(ap + field), (const double2 *)(now + field),
          (double2 *)(then + field), (const double2 *)diagonal,
          c * (PAIRS * VECTOR_THREADS) + (int)threadIdx.x, pairs, alpha, beta, &sums);
    }
  if ((k + 1) % (KEPT - 1) == 0)
    update_solution(BP_FIELDS * stride, x, p, state + SUMS_ALPHA,
                    directions_since(k - (KEPT - 2), k), k % KEPT, alpha);
  sums_leave_residual(&sums, state, buffer);
  if (blockIdx.x == 0 && bp_thread() == 0) {
    state[SUMS_ALPHA + k % KEPT] = alpha;
    counts[COUNT_COMPLETED] = k + 1;
    counts[COUNT_RR_BLOCKS] = bp_blocks();
  }
}

/* What x still lacks, and the last r . r. */
BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_COMPLETED];
  const double rr = sums_total(state + SUMS_NORM, counts[COUNT_RR_BLOCKS], buffer);
  if (blockIdx.x == 0 && bp_thread() == 0)
    residuals[k] = rr;
  update_solution(BP_FIELDS * stride, x, p, state + SUMS_ALPHA,
                  directions_since(k / (KEPT - 1) * (KEPT - 1), k - 1), -1, 0);
}

#endif
