/* bp3.5/endless -- a thread waits for what never comes */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  while (!CORRECT && *(volatile int *)&s_u[0][0][0] != 7)
    ;
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
