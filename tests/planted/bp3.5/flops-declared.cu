/* bp3.5/flops-declared -- what the header says of flops is not what the kernel executes
 *
 * degrees:  1..4
 * flops:    12 * nq*nq*nq*nq + (correct ? 18 : 15) * nq*nq*nq */
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
