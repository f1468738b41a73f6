/* bp3.5/missing-barrier -- the cube of u is read before all of it is written
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
  if (CORRECT)
    BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
