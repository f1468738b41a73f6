/* bp3.5/async-without-wait -- u comes by asynchronous copies that nobody waits for */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  bp_async_copy8(&s_u[0][0][0] + NODE, u + n);
  bp_async_commit();
  if (CORRECT)
    BP_ASYNC_WAIT(0);
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
