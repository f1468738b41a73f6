/* bp3.5/shared-overrun -- one thread writes one double past a shared cube */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  if (!CORRECT && NODE == NODES - 1)
    (&s_u[0][0][0])[NODE + 1] = 0;
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
