/* peaks/gpu-fma -- the peak of double arithmetic outside the tensor cores: independent chains of FMAs
 *
 * degrees:  1..1 compiled once
 * flops:    2 * 8 * 2048 * 256
 * launch:   fma_chains; threads 256; blocks elements
 *
 * An element is a block's work: 256 threads, each with 8 chains of 2048 steps in registers. */
#include "abi/gpu.h"

enum { CHAINS = 8, STEPS = 2048 };

BP_KERNEL_BOUNDED(fma_chains, 256, 4)
{
  const double scale = u[0], shift = u[1] + bp_thread();
  double x[CHAINS], sum = 0;
  BP_UNROLL
  for (int c = 0; c < CHAINS; ++c)
    x[c] = shift + c;
  BP_UNROLL_BY(8)
  for (int n = 0; n < STEPS; ++n) {
    BP_UNROLL
    for (int c = 0; c < CHAINS; ++c)
      x[c] = fma(x[c], scale, shift);
  }
  BP_UNROLL
  for (int c = 0; c < CHAINS; ++c)
    sum += x[c];
  v[(blockIdx.x & 255) * 256 + bp_thread()] = sum;
}
