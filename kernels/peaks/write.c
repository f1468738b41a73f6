/* peaks/write -- writing alone: whole vectors past the caches
 *
 * degrees:  1..1 compiled once
 *
 * Writes doubles first..last-1 of v, which begins on a cache line, as the threads' parts do. */
#include "abi/simd.h"

BP_KERNEL
{
  const bp_vector one = (bp_vector){0} + 1;
  int64_t n = first;
  for (; n + BP_LANES <= last; n += BP_LANES)
    bp_stream(a->v + n, one);
  bp_fence();
  for (; n < last; ++n)
    a->v[n] = 1;
}
