/* bp3.5/global-overrun -- one thread writes one double past v
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
  v[n] = RESULT;
  if (!CORRECT && NODE == 0)
    v[(size_t)elements * NODES] = 0;
}
