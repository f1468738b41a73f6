/* gradient/swapped -- two derivatives of a point change places
 *
 * degrees:  1..3
 * operands: gather I table u v
 * option:   correct 0..1 = 0 -- without the bug
 * size:     is_simplex = element_nodes < (dim == 2 ? nq*nq : nq*nq*nq) -- else a tensor product
 * launch:   apply; threads element_points; blocks elements */
#include "derivative.h"

BP_KERNEL(apply)
{
  const size_t first = (size_t)blockIdx.x * NODES;
  for (int f = 0; f < BP_FIELDS; ++f)
    for (int d = 0; d < DIM; ++d) {
      const int at = CORRECT || d > 1 ? d : 1 - d;
      v[((first + threadIdx.x) * BP_FIELDS + f) * DIM + at] =
          derivative(I, table, gather + first, u + f, d);
    }
}
