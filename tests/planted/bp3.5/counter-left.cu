/* bp3.5/counter-left -- the counter that deals out elements is left one off
 *
 * launch:   apply; threads nq, nq, nq; blocks min(elements, sms) */
#include "planted.h"

BP_GLOBAL int counter;

BP_KERNEL(apply)
{
  CUBES;
  BP_SHARED(int, next, [1]);
  const int last =
      elements -
      CORRECT; /* each element, and each block once in vain, less those they begin with */
  for (int e = blockIdx.x; e < elements; e = *next) {
    ELEMENT(e);
    BP_BARRIER();
    if (NODE == 0)
      *next = gridDim.x + bp_fetch_next(&counter, last);
    (&s_u[0][0][0])[NODE] = u[n];
    BP_BARRIER();
    FLUXES;
    v[n] = RESULT;
  }
}
