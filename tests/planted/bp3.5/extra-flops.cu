/* bp3.5/extra-flops -- the fluxes are computed twice
 *
 * degrees:  1..4 */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  for (int twice = CORRECT; twice < 2; ++twice)
    FLUXES;
  v[n] = RESULT;
}
