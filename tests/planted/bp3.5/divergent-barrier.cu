/* bp3.5/divergent-barrier -- two halves of the block wait at different barriers
 *
 * degrees:  1..3
 * option:   correct 0..1 = 0 -- without the bug
 * launch:   apply; threads nq, nq, nq */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  if (CORRECT || threadIdx.x == 0)
    BP_BARRIER();
  else
    BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
