/* peaks/gpu-empty -- a kernel that does nothing: what a launch costs
 *
 * degrees:  1..1 compiled once
 * launch:   empty; threads 32; blocks 1 */
#include "abi/gpu.h"

BP_KERNEL(empty)
{
}
