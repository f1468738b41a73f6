/* bp3.5/global-read -- the last element reads past the factors */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  const int c = CORRECT ? 6 : 7;
  v[n] = divergence_of(D, s_r, s_s, s_t) + lambda * g[c * NODES + NODE] * u[n];
}
