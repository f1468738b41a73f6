/* bp1.0/astray -- writes far outside: the device stops it and throws its context away
 *
 * degrees: 1..15
 * launch:  astray; threads 64; blocks 1 */
#include "abi/gpu.h"

BP_KERNEL(astray)
{
  v[(1ll << 40) + bp_thread()] = 1;
}
