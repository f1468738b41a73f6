/* peaks/gpu-tensor-small -- the peak of the double-precision tensor cores with 8x8x4 products
 *
 * degrees:  1..1 compiled once
 * requires: mma
 * flops:    2 * 8 * 8 * 4 * 8 * 1024 * 8
 * launch:   products; threads 256; blocks elements
 *
 * An element is a block's work: 8 warps, each with 8 independent sums of 1024 products. */
#include "abi/gpu.h"

enum { SUMS = 8, STEPS = 1024 };

BP_KERNEL_BOUNDED(products, 256, 2)
{
  const double a = u[0] + bp_lane(), b = u[1] + 1;
  double c[SUMS][2], sum = 0;
  BP_UNROLL
  for (int s = 0; s < SUMS; ++s)
    c[s][0] = c[s][1] = 0;
  BP_UNROLL_BY(4)
  for (int n = 0; n < STEPS; ++n) {
    BP_UNROLL
    for (int s = 0; s < SUMS; ++s)
      bp_mma_8x8x4(c[s], a, b);
  }
  BP_UNROLL
  for (int s = 0; s < SUMS; ++s)
    sum += c[s][0] + c[s][1];
  v[(blockIdx.x & 255) * 256 + bp_thread()] = sum;
}
