/* bp1.0/greedy -- wants more threads than a block can have
 *
 * degrees: 1..15
 * launch:  greedy; threads 2048; blocks 1 */
#include "abi/gpu.h"

BP_KERNEL(greedy)
{
  v[bp_thread()] = 0;
}
