/* peaks/gpu-flush -- reads an array larger than the L2, so that nothing else is left in it
 *
 * degrees:  1..1 compiled once
 * launch:   flush; threads 512; blocks 4 * sms
 *
 * An element is 16 bytes. The array holds zeros, so nothing is ever written. */
#include "abi/gpu.h"

BP_KERNEL(flush)
{
  const double2 *from = (const double2 *)u;
  const int stride = (int)(gridDim.x * blockDim.x);
  double sum = 0;
  BP_UNROLL_BY(8)
  for (int n = (int)(blockIdx.x * blockDim.x + threadIdx.x); n < elements; n += stride)
    sum += from[n].x + from[n].y;
  if (sum != 0)
    v[0] = sum;
}
