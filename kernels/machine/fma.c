/* machine/fma -- the peak of double arithmetic: independent chains of fused multiply-adds
 *
 * degrees:  1..1 compiled once
 * flops:    2 * 12 * lanes
 *
 * Twelve vectors, enough chains for two pipes of latency 4 to 5, all in registers. "Elements" are
 * rounds: last-first of them. The sums go to v, so that no compiler drops them. */
#include "cpu.h"

typedef double vector __attribute__((vector_size(8 * BP_LANES)));
enum { CHAINS = 12 };

BP_KERNEL
{
  vector x[CHAINS], scale, shift;
  for (int l = 0; l < BP_LANES; ++l) {
    scale[l] = a->u[0];
    shift[l] = a->u[1];
  }
  for (int c = 0; c < CHAINS; ++c)
    x[c] = shift * (double)(c + 1);
  for (int64_t n = first; n < last; ++n) {
#pragma GCC unroll 12
    for (int c = 0; c < CHAINS; ++c)
      x[c] = x[c] * scale + shift;
  }
  double sum = 0;
  for (int c = 0; c < CHAINS; ++c)
    for (int l = 0; l < BP_LANES; ++l)
      sum += x[c][l];
  a->v[first] = sum;
}
