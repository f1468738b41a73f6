/* bp3.5/bulk-beyond -- a bulk copy reads two doubles behind an array, where there is one
 *
 * degrees:  3..3 */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  ELEMENT(blockIdx.x);
  BRING(u + (size_t)blockIdx.x * NODES + (CORRECT ? 0 : 2), NODES * 8);
  FLUXES;
  v[n] = RESULT;
}
