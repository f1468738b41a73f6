/* merged_surface.h -- the second kernel of a merged iteration: v at surface nodes, their part of v . v,
 * and now and then x. The option update_blocks says how many blocks share a multiprocessor.
 *
 * size: scheme = 2 -- merged
 * size: kept = history - 1 - atomic -- directions; the other vectors are buffers of r and v */
#ifndef BP_KERNELS_SOLVE_MERGED_SURFACE_H
#define BP_KERNELS_SOLVE_MERGED_SURFACE_H

#include "lib/solve/assemble.h"
#include "lib/solve/merged.h"

/* v . v of what was added up; `cleared` becomes 0 for the next iteration. */
BP_DEVICE double sum_added(const unknown_kinds *u, const real *v, real *cleared, const real *d)
{
  const int step = (int)gridDim.x * VECTOR_THREADS;
  double sum = 0;
  for (int f = 0; f < BP_FIELDS; ++f)
    for (int n = u->inner + (int)blockIdx.x * VECTOR_THREADS + (int)threadIdx.x; n < u->all;
         n += VECTOR_TURNS * step) {
      real x[VECTOR_TURNS];
      BP_UNROLL
      for (int t = 0; t < VECTOR_TURNS; ++t)
        x[t] = n + t * step < u->all ? v[f * u->stride + n + t * step] : 0;
      BP_UNROLL
      for (int t = 0; t < VECTOR_TURNS; ++t)
        if (n + t * step < u->all) {
          cleared[f * u->stride + n + t * step] = 0;
          sum += BP_JACOBI ? (double)x[t] * x[t] / d[n + t * step] : (double)x[t] * x[t];
        }
    }
  return sum;
}

BP_KERNEL_BOUNDED(update, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [SUMS_BUFFER]);
  SOLVE_ARRAYS(arrays);
  const unknown_kinds u = unknown_kinds_of(&arrays);
  const surface_lists lists = surface_lists_of(&arrays);
  bp_let_next_begin();
  bp_wait_for_previous();
  const int k = counts[COUNT_CURRENT];
  real *const v = v_buffer(&arrays, k);
  const assembled_place to = {v, 0, 1, 0};
  const double sum = SURFACE_ATOMIC ? sum_added(&u, v, v_buffer(&arrays, k + 1), diagonal)
                                    : assemble_copies(&u, (long long)elements * ELEMENT_SURFACE,
                                                      &to, diagonal, &lists);
  if ((k + 1) % KEPT == 0) {
    const merged_sums s = merged_totals(state, k, counts[COUNT_APPLY_BLOCKS], 0, buffer);
    update_solution(BP_FIELDS * stride, x, p, state + SUMS_ALPHA, (1u << KEPT) - 1, KEPT - 1,
                    (real)sums_ratio(s.rz, s.pv));
  }
  sums_leave(sum, state + SUMS_SURFACE, buffer);
  if (blockIdx.x == 0 && bp_thread() == 0) {
    counts[COUNT_COMPLETED] = k + 1;
    counts[COUNT_RR_BLOCKS] = bp_blocks();
  }
}

#endif
