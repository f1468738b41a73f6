/* peaks/gpu-tensor -- the peak of the double-precision tensor cores with 16x8x16 products
 *
 * degrees:  1..1 compiled once
 * requires: mma
 * flops:    2 * 16 * 8 * 16 * 4 * 512 * 8
 * launch:   products; threads 256; blocks elements
 *
 * An element is a block's work: 8 warps, each with 4 independent sums of 512 products. */
#include "abi/gpu.h"

enum { SUMS = 4, STEPS = 512 };

BP_KERNEL_BOUNDED(products, 256, 2)
{
  double a[8], b[4], c[SUMS][4], sum = 0;
  BP_UNROLL
  for (int n = 0; n < 8; ++n)
    a[n] = u[n] + bp_lane();
  BP_UNROLL
  for (int n = 0; n < 4; ++n)
    b[n] = u[8 + n] + n;
  BP_UNROLL
  for (int s = 0; s < SUMS; ++s)
    c[s][0] = c[s][1] = c[s][2] = c[s][3] = 0;
  BP_UNROLL_BY(4)
  for (int n = 0; n < STEPS; ++n) {
    BP_UNROLL
    for (int s = 0; s < SUMS; ++s)
      bp_mma_16x8x16(c[s], a, b);
  }
  BP_UNROLL
  for (int s = 0; s < SUMS; ++s)
    sum += c[s][0] + c[s][1] + c[s][2] + c[s][3];
  v[(blockIdx.x & 255) * 256 + bp_thread()] = sum;
}
