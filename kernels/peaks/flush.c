/* peaks/flush -- writes an array larger than the caches, so that nothing else is left in them
 *
 * degrees:  1..1 compiled once
 *
 * An element is 16 bytes, and each thread writes those that it would compute. */
#include "abi/cpu.h"

BP_KERNEL
{
  for (int64_t n = 2 * first; n < 2 * last; ++n)
    a->v[n] = (double)n;
}
