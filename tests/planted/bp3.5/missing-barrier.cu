/* bp3.5/missing-barrier -- the cube of u is read before all of it is written */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  if (CORRECT)
    BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
