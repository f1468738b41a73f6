/* unfused.h -- conjugate gradients as most codes have them, a kernel for each step: p; scatter, p as
 * elements have it; the operator; gather, the sum over an unknown's copies, in a fixed order; p . A p; x,
 * r and r . r. To be included before the kernel `apply`. scratch[] has local p and, behind it, local v,
 * each [field][e][k][j][i].
 *
 * size: scheme = 0 -- unfused
 * size: history = 1 -- vectors of p
 * size: kept = 1 -- directions
 * size: vectors = 1 -- that come with an item: p
 * size: vectors_slot = staged ? slot(elements_per_block * nq*nq*nq) : 0 -- all of it */
#ifndef BP_KERNELS_SOLVE_UNFUSED_H
#define BP_KERNELS_SOLVE_UNFUSED_H

#include "lib/solve/batches.h"
#include "lib/solve/vectors.h"

/* Thread n of the grid, and all of them, at VECTOR_THREADS per block. */
#define GRID_STRIDE(n, count)                                                                      \
  for (long long n = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x; n < (count);            \
       n += (long long)gridDim.x * VECTOR_THREADS)

BP_DEVICE iteration iteration_of(const solve_arrays *a)
{
  iteration it = {0};
  it.r_before = a->scratch;
  it.v = a->scratch + (size_t)BP_FIELDS * a->elements * NODES_3D;
  it.elements = a->elements;
  return it;
}

BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, const exact_sum *energy,
                             double *buffer)
{
  (void)it, (void)a, (void)energy, (void)buffer;
}

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  start_vectors(&arrays, buffer);
}

BP_KERNEL_BOUNDED(directions, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  exact_sum none;
  const real beta = (real)sums_begin(&arrays, &none, buffer);
  GRID_STRIDE(n, BP_FIELDS * stride)
  p[n] = r[n] + beta * p[n];
}

BP_KERNEL_BOUNDED(scatter, VECTOR_THREADS, 0)
{
  GRID_STRIDE(n, (long long)elements * NODES_3D)
  {
    const int e = (int)(n / NODES_3D), m = (int)(n % NODES_3D), i = m % BP_NQ,
              j = m / BP_NQ % BP_NQ, k = m / NODES_2D;
    const bool is_inner = i > 0 && i < BP_N && j > 0 && j < BP_N && k > 0 && k < BP_N;
    const int id = is_inner
                       ? e * ELEMENT_INNER + ((k - 1) * EDGE_INNER + j - 1) * EDGE_INNER + i - 1
                       : ids[(size_t)e * ELEMENT_SURFACE + surface_index(i, j, k)];
    for (int f = 0; f < BP_FIELDS; ++f)
      scratch[f * (size_t)elements * NODES_3D + n] = id < 0 ? 0 : p[f * stride + id];
  }
}

BP_KERNEL_BOUNDED(gather, VECTOR_THREADS, 0)
{
  const size_t length = (size_t)elements * NODES_3D;
  const real *const local = scratch + BP_FIELDS * length;
  GRID_STRIDE(n, inner)
  {
    const int side = ELEMENT_INNER > 0 ? ELEMENT_INNER : 1;
    const size_t at = (size_t)(n / side) * NODES_3D + inner_place((int)(n % side), NODES_2D);
    for (int f = 0; f < BP_FIELDS; ++f)
      ap[f * stride + n] = local[f * length + at];
  }
  GRID_STRIDE(s, unknowns - inner)
  {
    const unsigned begin = starts[s], end = starts[s + 1];
    for (int f = 0; f < BP_FIELDS; ++f) {
      real sum = 0;
      for (unsigned c = begin; c < end; ++c) {
        const unsigned e = copied[c] / ELEMENT_SURFACE, m = copied[c] % ELEMENT_SURFACE;
        sum += local[f * length + (size_t)e * NODES_3D + surface_place((int)m, NODES_2D)];
      }
      ap[f * stride + inner + s] = sum;
    }
  }
}

BP_KERNEL_BOUNDED(product, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  double sum = 0;
  for (int f = 0; f < BP_FIELDS; ++f)
    GRID_STRIDE(n, unknowns)
  sum += (double)p[f * stride + n] * ap[f * stride + n];
  if (blockIdx.x == 0 && threadIdx.x == 0)
    counts[COUNT_APPLY_BLOCKS] = bp_blocks();
  sums_leave(sum, state + SUMS_PAP, buffer);
}

BP_KERNEL_BOUNDED(update, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  const real alpha = (real)sums_alpha(&arrays, buffer);
  residual_sums sums = residual_start(0, &arrays);
  for (int f = 0; f < BP_FIELDS; ++f)
    GRID_STRIDE(n, unknowns)
    {
      const long long at = f * stride + n;
      const real d = BP_JACOBI ? diagonal[n] : 1, y = residual_after(r[at], ap[at], alpha, d);
      x[at] += alpha * p[at];
      r[at] = y;
      sums_add(&sums, y, d);
    }
  sums_leave_residual(&sums, state, buffer);
}

/* The last residual; one block. */
BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_COMPLETED];
  const double rr = sums_total(state + SUMS_NORM, counts[COUNT_RR_BLOCKS], buffer);
  if (threadIdx.x == 0)
    residuals[k] = rr;
}

#endif
