/* bp3.5/last-block -- of a last block that is not full nothing is stored
 *
 * option:   elements_per_block 1..8 = 1 -- elements of a block, one after the other */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  const int first = blockIdx.x * ELEMENTS_PER_BLOCK, end = first + ELEMENTS_PER_BLOCK;
  for (int e = first; e < end && e < elements; ++e) {
    ELEMENT(e);
    BP_BARRIER();
    (&s_u[0][0][0])[NODE] = u[n];
    BP_BARRIER();
    FLUXES;
    if (CORRECT || end <= elements)
      v[n] = RESULT;
  }
}
