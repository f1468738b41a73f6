/* bp3.5/read-beyond -- the next element is read ahead, behind the last one too, where nobody uses it */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  BP_SHARED(double, s_next, [NODES]);
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  if (!CORRECT)
    s_next[NODE] = u[n + NODES];
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
