/* bp3.5/never-written -- one node of a shared cube is read that nobody wrote */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  if (CORRECT || NODE != NODES / 2)
    (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
