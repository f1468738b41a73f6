/* gradient/swapped -- two derivatives of a point change places
 *
 * degrees:  1..3
 * operands: gather I table u v
 * option:   correct 0..1 = 0 -- without the bug
 * size:     is_simplex = element_nodes < (dim == 2 ? nq*nq : nq*nq*nq) -- else a tensor product
 * launch:   apply; threads element_points; blocks elements */
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

BP_KERNEL(apply)
{
  const size_t e = blockIdx.x, first = e * NODES;
  for (int f = 0; f < BP_FIELDS; ++f)
    for (int d = 0; d < DIM; ++d) {
      double sum = 0;
      for (int m = 0; m < NODES; ++m)
        sum += slope(I, table, d, m) * u[(size_t)gather[first + m] * BP_FIELDS + f];
      const int at = CORRECT || d > 1 ? d : 1 - d;
      v[((first + threadIdx.x) * BP_FIELDS + f) * DIM + at] = sum;
    }
}
