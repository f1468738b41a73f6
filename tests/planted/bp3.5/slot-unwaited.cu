/* bp3.5/slot-unwaited -- a warp copies u into a slot, and nobody waits for the mbarrier
 *
 * degrees:  3..3 */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  BP_SHARED(bp_mbarrier, full, [1]);
  ELEMENT(blockIdx.x);
  if (NODE == 0) {
    bp_mbarrier_start(full, 1);
    bp_mbarrier_fence();
  }
  BP_BARRIER();
  if (bp_warp() == 0) {
    bp_slot_copy(s_u, u + (size_t)blockIdx.x * NODES, NODES * 8, full);
    bp_slot_arrive(full, NODES * 8);
  }
  if (CORRECT)
    bp_mbarrier_wait(full, 0);
  FLUXES;
  v[n] = RESULT;
}
