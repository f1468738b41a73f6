/* bp3.5/shared-declared -- what the header says of shared memory is not what the kernel moves
 *
 * degrees:  1..4
 * shared traffic: 8 * nq*nq*nq * (4 + (correct ? 6 : 5) * nq) */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
