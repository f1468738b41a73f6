/* bp3.5/never-written -- one node of a shared cube is read that nobody wrote
 *
 * degrees:  1..3
 * option:   correct 0..1 = 0 -- without the bug
 * launch:   apply; threads nq, nq, nq */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  if (CORRECT || NODE != NODES / 2)
    (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
