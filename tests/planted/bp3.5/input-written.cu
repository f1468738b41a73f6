/* bp3.5/input-written -- a thread writes into u */
#include "planted.h"

BP_KERNEL_PLAIN(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
  if (!CORRECT)
    u[n] = 0;
}
