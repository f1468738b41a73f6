/* bp3.5/bulk-bytes -- a bulk copy brings fewer bytes than the mbarrier expects
 *
 * degrees:  3..3 */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  BRING(u + (size_t)blockIdx.x * NODES, NODES * 8 + (CORRECT ? 0 : 16));
  FLUXES;
  v[n] = RESULT;
}
