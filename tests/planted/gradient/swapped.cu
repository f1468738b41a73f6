/* gradient/swapped -- two derivatives of a point change places */
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
