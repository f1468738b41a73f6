/* bp3.5/bulk-exit -- the block ends while a bulk store still reads its shared memory
 *
 * degrees:  3..3 */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  BP_SHARED(double, s_v, [NODES]);
  s_v[NODE] = divergence_of(D, s_r, s_s, s_t) + lambda * g[6 * NODES + NODE] * u[n];
  bp_async_fence();
  BP_BARRIER();
  if (NODE == 0) {
    bp_bulk_store(v + n, s_v, NODES * 8);
    bp_bulk_commit();
    if (CORRECT)
      BP_BULK_WAIT_READ(0);
  }
}
