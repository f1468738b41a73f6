/* bp3.5/early-exit -- one thread leaves before a barrier */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  flux_of(D, g, s_u, flux);
  STORE(flux);
  if (!CORRECT && NODE == NODES - 1)
    return;
  BP_BARRIER();
  v[n] = RESULT;
}
