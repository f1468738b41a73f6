/* bp3.5/result-missing -- one node of v is left out */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  if (CORRECT || NODE != 1)
    v[n] = RESULT;
}
