/* bp3.5/divergent-barrier -- two halves of the block wait at different barriers */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  if (CORRECT || threadIdx.x == 0)
    BP_BARRIER();
  else
    BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
