/* peaks/copy -- the fastest copy of a core: whole vectors, asked for ahead, past the caches
 *
 * degrees:  1..1 compiled once
 *
 * Copies doubles first..last-1 of u to v. Both start on a cache line, and so do the threads' parts.
 * A plain store reads the line that it overwrites; a non-temporal one does not, and saves a third of the
 * traffic. What remains is latency: the reads of the next AHEAD lines are under way while a round is
 * stored, more than the hardware's prefetchers keep in flight by themselves and as many as the core has
 * buffers for; twice as many, or fewer, copy slower. */
#include "abi/simd.h"

enum { LINE = 8, ROUND = 16 * LINE, AHEAD = 32 * LINE };

BP_KERNEL
{
  int64_t n = first;
  for (; n + ROUND <= last; n += ROUND) {
    const double *from = a->u + n;
    double *to = a->v + n;
#pragma GCC unroll 16
    for (int m = 0; m < ROUND; m += LINE)
      __builtin_prefetch(from + AHEAD + m);
#pragma GCC unroll 64
    for (int m = 0; m < ROUND; m += BP_LANES)
      bp_stream(to + m, *(const bp_vector *)(from + m));
  }
  bp_fence();
  for (; n < last; ++n)
    a->v[n] = a->u[n];
}
