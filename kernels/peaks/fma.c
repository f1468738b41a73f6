/* peaks/fma -- the peak of double arithmetic: independent chains of fused multiply-adds
 *
 * degrees:  1..1 compiled once
 * flops:    2 * 12 * lanes
 *
 * A chain's next operation waits for its last one, 4 or 5 cycles on today's cores, and a core starts up to
 * two per cycle: 10 chains keep it busy, 12 leave some air and still fit into 16 registers with the two
 * constants. Nothing touches memory. "Elements" are rounds: last-first of them. The sums go to v, so
 * that no compiler drops them. Without FMA (base) a multiplication and an addition are counted alike. */
#include "abi/simd.h"

enum { CHAINS = 12 };

BP_KERNEL
{
  const double scale = a->u[0], shift = a->u[1];
  bp_vector x[CHAINS], sum = {0};
#pragma GCC unroll 12
  for (int c = 0; c < CHAINS; ++c)
    x[c] = (bp_vector){0} + shift * (double)(c + 1);
  for (int64_t n = first; n < last; ++n) {
#pragma GCC unroll 12
    for (int c = 0; c < CHAINS; ++c)
      x[c] = x[c] * scale + shift;
  }
#pragma GCC unroll 12
  for (int c = 0; c < CHAINS; ++c)
    sum += x[c];
  a->v[first] = 0;
  for (int l = 0; l < BP_LANES; ++l)
    a->v[first] += sum[l];
}
