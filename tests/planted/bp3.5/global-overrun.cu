/* bp3.5/global-overrun -- one thread writes one double past v */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
  if (!CORRECT && NODE == 0)
    v[(size_t)elements * NODES] = 0;
}
