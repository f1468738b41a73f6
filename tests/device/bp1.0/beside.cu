/* bp1.0/beside -- writes one double behind v: only a guard sees it
 *
 * degrees: 1..15
 * launch:  beside; threads 64; blocks 1 */
#include "abi/gpu.h"

BP_KERNEL(beside)
{
  const long long nodes = (long long)BP_NQ * BP_NQ * BP_NQ * elements;
  if (bp_thread() == 0)
    v[nodes] = 1;
}
