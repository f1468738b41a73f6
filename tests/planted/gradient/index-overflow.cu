/* gradient/index-overflow -- an index of 32 bits, too few for the derivatives of many elements */
#include "derivative.h"

BP_KERNEL(apply)
{
  const size_t first = (size_t)blockIdx.x * NODES;
  for (int f = 0; f < BP_FIELDS; ++f)
    for (int d = 0; d < DIM; ++d) {
      const size_t at = ((first + threadIdx.x) * BP_FIELDS + f) * DIM + d;
      v[CORRECT ? at : (size_t)(int)at] = derivative(I, table, gather + first, u + f, d);
    }
}
