/* gradient/rounds -- the last element is left out where a block takes more than one
 *
 * launch:   apply; threads element_points; blocks min(elements, sms * 128) */
#include "derivative.h"

BP_KERNEL(apply)
{
  for (int e = blockIdx.x; e < elements; e += gridDim.x)
    if (CORRECT || e < (int)gridDim.x || e < elements - 1)
      for (int f = 0; f < BP_FIELDS; ++f)
        for (int d = 0; d < DIM; ++d)
          v[(((size_t)e * NODES + threadIdx.x) * BP_FIELDS + f) * DIM + d] =
              derivative(I, table, gather + (size_t)e * NODES, u + f, d);
}
