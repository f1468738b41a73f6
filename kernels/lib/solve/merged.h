/* merged.h -- conjugate gradients whose operator makes its own vectors: r -= alpha v, p = r + beta p, v =
 * A p in one kernel, from r, p and v of the iteration before. To be included before that kernel, `apply`.
 *
 * So beta is wanted before r is there. With r' = r - alpha v,
 *
 *   r' . r' = r . r - 2 alpha r . v + alpha^2 v . v
 *   r . v = (p - beta p_before) . v = p . v - beta v_before . p      (A is symmetric)
 *
 * where r . r, v_before . p and v . v are sums over unknowns, p . v over elements. Each iteration adds up
 * r . r anew from r itself, so the formula's rounding error is that of one step. With a preconditioner r
 * is z = r / diagonal, r . r is r . z and v . v is v . v / diagonal; residuals[] has |r|^2 all the same.
 *
 * Elements read the surface of r, p and v while others write the new one: r has two buffers, and so has v
 * where it is added up by atomic operations, three where one kernel clears the next one. Buffers beside
 * `r` and `ap` are the last ones of `p`, which has HISTORY vectors, of which KEPT are directions.
 *
 * What is left after apply: v at surface nodes and their part of v . v, by `update`. Where apply is alone
 * (ONE_KERNEL), additions tell what v was before, and v . v follows; x is updated by apply, every KEPT-1
 * iterations since it writes one direction at the same time; each block counts its own
 * iterations.
 *
 * size: vectors = 3 -- that come with an item: r, p and v */
#ifndef BP_KERNELS_SOLVE_MERGED_H
#define BP_KERNELS_SOLVE_MERGED_H

#include "lib/solve/batches.h"
#include "lib/solve/vectors.h"

enum { V_BUFFERS = 1 + SURFACE_ATOMIC + ONE_KERNEL };

BP_DEVICE real *r_buffer(const solve_arrays *a, int n)
{
  return n % 2 ? a->p + KEPT * (BP_FIELDS * a->stride) : a->r;
}

BP_DEVICE real *v_buffer(const solve_arrays *a, int n)
{
  return n % V_BUFFERS ? a->p + (KEPT + n % V_BUFFERS) * (BP_FIELDS * a->stride) : a->ap;
}

/* Iterations that are completed, as a block of apply knows. */
BP_DEVICE int merged_completed(const double *state, const int *counts, int block)
{
  return ONE_KERNEL ? (int)state[SUMS_DONE + block] : counts[COUNT_COMPLETED];
}

BP_DEVICE iteration iteration_of(const solve_arrays *a)
{
  iteration it = {0};
  const int k = it.k = merged_completed(a->state, a->counts, (int)blockIdx.x);
  it.r_before = r_buffer(a, k);
  it.r = r_buffer(a, k + 1);
  it.p_before = a->p + (k + KEPT - 1) % KEPT * (BP_FIELDS * a->stride);
  it.p = a->p + k % KEPT * (BP_FIELDS * a->stride);
  it.v_before = v_buffer(a, k + V_BUFFERS - 1);
  it.v = v_buffer(a, k);
  it.cleared = v_buffer(a, k + 1);
  it.diagonal = a->diagonal;
  it.copies = a->copies;
  it.stride = a->stride;
  it.elements = a->elements;
  return it;
}

/* Sums that `count` blocks of apply left in iteration k: r . z, p . v, v_before . p, v . v, and |r|^2. */
typedef struct {
  double rz, pv, vp, vv, rr;
} merged_sums;

BP_DEVICE merged_sums merged_totals(const double *state, int k, int count, int update_blocks,
                                    double *buffer)
{
  const double *const set = state + k % 2 * SUMS_SET;
  double x[5] = {0, 0, 0, 0, 0};
  for (int n = bp_thread(); n < count; n += bp_threads()) {
    x[0] += set[SUMS_RR + n];
    x[1] += set[SUMS_PAP + n];
    x[2] += set[SUMS_VP + n];
    x[3] += set[SUMS_VV + n];
    if (BP_JACOBI)
      x[4] += set[SUMS_NORM + n];
  }
  for (int n = bp_thread(); n < update_blocks; n += bp_threads())
    x[3] += state[SUMS_SURFACE + n];
  sums_block_many(x, 4 + BP_JACOBI, buffer);
  const merged_sums s = {x[0], x[1], x[2], x[3], BP_JACOBI ? x[4] : x[0]};
  return s;
}

/* alpha and beta, noted by thread 0 of block 0 with what is known of the iteration before. */
BP_DEVICE void iteration_begin(iteration *it, const solve_arrays *a, exact_sum *energy,
                               double *buffer)
{
  (void)energy;
  const int k = it->k;
  const bool notes = blockIdx.x == 0 && bp_thread() == 0;
  if (k > 0) {
    const merged_sums s = merged_totals(a->state, k - 1, bp_blocks(),
                                        ONE_KERNEL ? 0 : a->counts[COUNT_RR_BLOCKS], buffer);
    const double rv = s.pv - a->state[SUMS_BETA + (k - 1) % 2] * s.vp;
    it->alpha = (real)sums_ratio(s.rz, s.pv);
    const double alpha = it->alpha, next = s.rz - 2 * alpha * rv + alpha * alpha * s.vv;
    it->beta = next > SUMS_NOISE * s.rz ? (real)sums_ratio(next, s.rz) : 0;
    if (notes) {
      a->state[SUMS_ALPHA + (k - 1) % KEPT] = it->alpha;
      a->residuals[k - 1] = s.rr;
    }
  }
  if (k == 0)
    BP_BARRIER(); /* the mbarriers have begun */
  if (notes) {
    a->state[SUMS_BETA + k % 2] = it->beta;
    a->counts[COUNT_CURRENT] = k;
    a->counts[COUNT_APPLY_BLOCKS] = bp_blocks();
  }
}

BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, const exact_sum *energy,
                             double *buffer)
{
  double x[5] = {it->rr.rz.part[0], energy->part[0], it->vp, it->vv, it->rr.rr.part[0]};
  sums_block_many(x, 4 + BP_JACOBI, buffer);
  if (ONE_KERNEL && it->k > 0 && it->k % (KEPT - 1) == 0)
    update_solution(BP_FIELDS * (long long)a->stride, a->x, a->p, a->state + SUMS_ALPHA,
                    ((1u << KEPT) - 1) & ~(1u << it->k % KEPT), (it->k + KEPT - 1) % KEPT,
                    it->alpha);
  double *const set = a->state + it->k % 2 * SUMS_SET;
  if (bp_thread() != 0)
    return;
  set[SUMS_RR + blockIdx.x] = x[0];
  set[SUMS_PAP + blockIdx.x] = x[1];
  set[SUMS_VP + blockIdx.x] = x[2];
  set[SUMS_VV + blockIdx.x] = x[3];
  if (BP_JACOBI)
    set[SUMS_NORM + blockIdx.x] = x[4];
  if (ONE_KERNEL)
    a->state[SUMS_DONE + blockIdx.x] = it->k + 1;
}

/* Which directions x lacks after n iterations. */
BP_DEVICE unsigned directions_left(int n)
{
  unsigned which = 0;
  if (!ONE_KERNEL)
    return (1u << n % KEPT) - 1;
  for (int k = (n - 1) / (KEPT - 1) * (KEPT - 1); k < n; ++k)
    which |= 1u << k % KEPT;
  return which;
}

/* After the iterations: x, the residual before the last one, and what its |r|^2 after it is the sum of. */
BP_DEVICE void finish_merged(const solve_arrays *a, double *buffer)
{
  const int n = merged_completed(a->state, a->counts, 0);
  const merged_sums s = merged_totals(a->state, n - 1, a->counts[COUNT_APPLY_BLOCKS], 0, buffer);
  const real alpha = (real)sums_ratio(s.rz, s.pv);
  const real *const r = r_buffer(a, n), *const v = v_buffer(a, n + V_BUFFERS - 1);
  const size_t length = BP_FIELDS * a->stride, step = (size_t)gridDim.x * bp_threads();
  double sum = 0;
  for (size_t i = (size_t)blockIdx.x * bp_threads() + bp_thread(); i < length; i += step) {
    const real d = BP_JACOBI ? a->diagonal[i % a->stride] : 1,
               y = BP_JACOBI ? r[i] * d - alpha * v[i] : r[i] - alpha * v[i];
    sum += (double)y * y;
  }
  update_solution((long long)length, a->x, a->p, a->state + SUMS_ALPHA, directions_left(n),
                  (n + KEPT - 1) % KEPT, alpha);
  sums_leave(sum, a->state + SUMS_SURFACE, buffer);
  if (blockIdx.x == 0 && bp_thread() == 0) {
    a->counts[COUNT_RR_BLOCKS] = bp_blocks();
    a->residuals[n - 1] = s.rr;
  }
}

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  start_vectors(&arrays, buffer);
}

BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [SUMS_BUFFER]);
  SOLVE_ARRAYS(arrays);
  finish_merged(&arrays, buffer);
}

/* After finish, one block: the last residual. */
BP_KERNEL_BOUNDED(residual, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int n = merged_completed(state, counts, 0);
  const double rr = sums_total(state + SUMS_SURFACE, counts[COUNT_RR_BLOCKS], buffer);
  if (bp_thread() == 0)
    residuals[n] = rr;
}

#endif
