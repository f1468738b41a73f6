/* bp3.5/result-missing -- one node of v is left out
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
  BP_BARRIER();
  FLUXES;
  if (CORRECT || NODE != 1)
    v[n] = RESULT;
}
