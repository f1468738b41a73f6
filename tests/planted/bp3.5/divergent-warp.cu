/* bp3.5/divergent-warp -- half of a warp shuffles without the other
 *
 * degrees:  3..3 */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  double lambda_here = lambda;
  if (CORRECT || bp_lane() < 16)
    lambda_here = bp_shuffle_xor(lambda, 1);
  v[n] = divergence_of(D, s_r, s_s, s_t) + lambda_here * g[6 * NODES + NODE] * u[n];
}
