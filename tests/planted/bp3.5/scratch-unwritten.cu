/* bp3.5/scratch-unwritten -- a part of the scratch is read that nobody wrote
 *
 * scratch:  elements * nq*nq*nq */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  flux_of(D, g, s_u, flux);
  STORE(flux);
  if (CORRECT)
    scratch[n] = lambda;
  BP_BARRIER();
  v[n] = divergence_of(D, s_r, s_s, s_t) + scratch[n] * g[6 * NODES + NODE] * u[n];
}
