/* bp3.5/elements-overlap -- the elements of a block overlap in shared memory by one node
 *
 * option:   elements_per_block 1..8 = 1 -- elements of a block */
#include "planted.h"

#define STRIDE (CORRECT ? NODES : NODES - 1)

BP_KERNEL(apply)
{
  CUBES;
  BP_SHARED(double, s_all, [ELEMENTS_PER_BLOCK * NODES]);
  const int first = blockIdx.x * ELEMENTS_PER_BLOCK;
  for (int m = 0; m < ELEMENTS_PER_BLOCK && first + m < elements; ++m)
    s_all[m * STRIDE + NODE] = u[(size_t)(first + m) * NODES + NODE];
  for (int m = 0; m < ELEMENTS_PER_BLOCK && first + m < elements; ++m) {
    const double *g = factors + (size_t)(first + m) * 7 * NODES;
    double flux[3];
    BP_BARRIER();
    (&s_u[0][0][0])[NODE] = s_all[m * STRIDE + NODE];
    BP_BARRIER();
    FLUXES;
    v[(size_t)(first + m) * NODES + NODE] =
        divergence_of(D, s_r, s_s, s_t) +
        lambda * g[6 * NODES + NODE] * (&s_u[0][0][0])[NODE];
  }
}
