/* bp3.5/block-exit -- where a block has fewer elements than others, a thread leaves before a barrier
 *
 * option:   elements_per_block 1..8 = 1 -- elements of a block, one after the other */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  const int first = blockIdx.x * ELEMENTS_PER_BLOCK;
  if (!CORRECT && NODE < ELEMENTS_PER_BLOCK && first + NODE >= elements)
    return;
  for (int e = first; e < first + ELEMENTS_PER_BLOCK && e < elements; ++e) {
    ELEMENT(e);
    BP_BARRIER();
    (&s_u[0][0][0])[NODE] = u[n];
    BP_BARRIER();
    FLUXES;
    v[n] = RESULT;
  }
}
