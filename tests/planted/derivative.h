/* derivative.h -- a gradient's derivative at a thread's point, for kernels that are wrong on purpose.
 *
 * degrees:  1..3
 * operands: gather I table u v
 * option:   correct 0..1 = 0 -- without the bug
 * size:     is_simplex = element_nodes < (dim == 2 ? nq*nq : nq*nq*nq) -- else a tensor product
 * launch:   apply; threads element_points; blocks elements */
#ifndef BP_PLANTED_DERIVATIVE_H
#define BP_PLANTED_DERIVATIVE_H

#include "abi/gpu.h"

#define DIM   (BP_SHAPE == 1 || BP_SHAPE == 2 ? 2 : 3)
#define NODES ((int)blockDim.x)

/* What node m adds to derivative d at this thread's point, for a value 1. */
BP_DEVICE double slope(const double *I, const double *table, int d, int m)
{
  const int n = BP_NQ, p = threadIdx.x;
  double product = 1;
  if (IS_SIMPLEX)
    return table[(p * DIM + d) * NODES + m];
  for (int b = 0, place = 1; b < DIM; ++b, place *= n)
    product *= (b == d ? table : I)[p / place % n * n + m / place % n];
  return product;
}

/* ids: of an element's nodes; values: of one field, its first node's. */
BP_DEVICE double derivative(const double *I, const double *table, const int *ids,
                            const double *values, int d)
{
  double sum = 0;
  for (int m = 0; m < NODES; ++m)
    sum += slope(I, table, d, m) * values[(size_t)ids[m] * BP_FIELDS];
  return sum;
}

#endif
