/* bp3.5/early-exit -- one thread leaves before a barrier
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
  flux_of(D, g, s_u, flux);
  STORE(flux);
  if (!CORRECT && NODE == NODES - 1)
    return;
  BP_BARRIER();
  v[n] = RESULT;
}
