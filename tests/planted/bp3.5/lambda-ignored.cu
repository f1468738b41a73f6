/* bp3.5/lambda-ignored -- the mass term as if lambda were 1 */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  v[n] = divergence_of(D, s_r, s_s, s_t) + (CORRECT ? lambda : 1) * g[6 * NODES + NODE] * u[n];
}
