/* bp3.5/input-written -- a thread writes into u
 *
 * degrees:  1..3
 * option:   correct 0..1 = 0 -- without the bug
 * launch:   apply; threads nq, nq, nq */
#include "planted.h"

BP_KERNEL_PLAIN(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
  if (!CORRECT)
    u[n] = 0;
}
