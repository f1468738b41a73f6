/* bp3.5/scratch-overflow -- an index of 32 bits, too few for the scratch of many elements
 *
 * scratch:  elements * nq*nq*nq */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  const double *g = factors + (size_t)blockIdx.x * 7 * NODES;
  const size_t n = (size_t)blockIdx.x * NODES + NODE, at = CORRECT ? n : (size_t)(int)n;
  double flux[3];
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  flux_of(D, g, s_u, flux);
  STORE(flux);
  scratch[at] = lambda;
  BP_BARRIER();
  v[n] = divergence_of(D, s_r, s_s, s_t) + scratch[at] * g[6 * NODES + NODE] * u[n];
}
