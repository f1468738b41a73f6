/* assembled.h -- conjugate gradients with the operator as a sparse matrix, row after row: what a solve
 * costs that is not matrix-free. A matrix has 64-bit row_starts, since it may have more than 2^31 entries.
 *
 * direction: p = r + beta p. apply: v = A p and p . v. update: r -= alpha v, r . r, and x now and then (vectors.h). A
 * kernel file has the options history, update_blocks and row_lanes.
 *
 * size: surface_atomic = 0 -- v is a whole vector */
#ifndef BP_KERNELS_SOLVE_ASSEMBLED_H
#define BP_KERNELS_SOLVE_ASSEMBLED_H

#include "lib/solve/vectors.h"

enum {
  LANES = 1 << ROW_LANES, /* that share a row */
  WARP_ROWS = 32 / LANES
};

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  start_vectors(&arrays, buffer);
}

BP_KERNEL_BOUNDED(direction, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [32]);
  bp_let_next_begin();
  bp_wait_for_previous();
  SOLVE_ARRAYS(arrays);
  const int k = counts[COUNT_COMPLETED];
  exact_sum energy;
  const real beta = sums_begin(&arrays, &energy, buffer);
  const long long step = (long long)gridDim.x * VECTOR_THREADS, length = BP_FIELDS * stride;
  const double2 *const before = (const double2 *)(p + (k + HISTORY - 1) % HISTORY * length);
  double2 *const now = (double2 *)(p + k % HISTORY * length);
  for (long long n = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x; n < length / 2;
       n += step) {
    const double2 a = ((const double2 *)r)[n], b = before[n];
    now[n] = make_double2(a.x + beta * b.x, a.y + beta * b.y);
  }
}

/* The sum over the lanes that share a row, in all of them. */
BP_DEVICE real row_sum(real x)
{
  BP_UNROLL
  for (int mask = LANES / 2; mask > 0; mask /= 2)
    x += bp_shuffle_xor(x, mask);
  return x;
}

/* A row's entries are read once for all components. */
BP_KERNEL_BOUNDED(apply, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  bp_let_next_begin();
  bp_wait_for_previous();
  const int lane = bp_lane() % LANES, own = bp_lane() / LANES;
  const int warps = (int)gridDim.x * (VECTOR_THREADS / 32);
  const real *const now = p + counts[COUNT_CURRENT] % HISTORY * (BP_FIELDS * stride);
  real pap = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    counts[COUNT_APPLY_BLOCKS] = bp_blocks();
  for (long long base = ((long long)blockIdx.x * (VECTOR_THREADS / 32) + bp_warp()) * WARP_ROWS;
       base < unknowns; base += (long long)warps * WARP_ROWS) {
    const long long row = base + own;
    const long long end = row < unknowns ? row_starts[row + 1] : 0;
    real sums[BP_FIELDS] = {0};
    for (long long at = (row < unknowns ? row_starts[row] : 0) + lane; at < end; at += LANES) {
      const real entry = bp_load_streaming(entries + at);
      const int column = columns[at];
      BP_UNROLL
      for (int c = 0; c < BP_FIELDS; ++c)
        sums[c] += entry * now[c * stride + column];
    }
    BP_UNROLL
    for (int c = 0; c < BP_FIELDS; ++c) {
      const real v = row_sum(sums[c]);
      if (lane == 0 && row < unknowns) {
        ap[c * stride + row] = v;
        pap += now[c * stride + row] * v;
      }
    }
  }
  sums_leave(pap, state + SUMS_PAP, buffer);
}

BP_KERNEL_BOUNDED(update, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  arrays.inner = arrays.faces_end = arrays.edges_end = unknowns; /* none lies on a surface */
  const unknown_kinds u = unknown_kinds_of(&arrays);
  const surface_lists none = {0};
  update_vectors(&arrays, &u, &none, buffer);
}

BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  finish_vectors(&arrays, buffer);
}

#endif
