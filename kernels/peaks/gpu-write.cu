/* peaks/gpu-write -- writing alone: 16 bytes per store, several in a row per thread
 *
 * degrees:  1..1 compiled once
 * option:   vectors_per_thread 1..16 = 4 -- 16-byte pieces that a thread writes
 * option:   streaming 0..1 = 1 -- what is written does not stay in L2
 * launch:   fill; threads 256; blocks (elements + 256 * vectors_per_thread - 1) / (256 * vectors_per_thread)
 *
 * An element is 16 bytes. */
#include "abi/gpu.h"

BP_KERNEL_BOUNDED(fill, 256, 1)
{
  double2 *const to = (double2 *)v;
  const long long first = (long long)blockIdx.x * (256 * VECTORS_PER_THREAD) + threadIdx.x;
  BP_UNROLL
  for (int n = 0; n < VECTORS_PER_THREAD; ++n)
    if (first + 256 * n < elements) {
      if (STREAMING)
        bp_store_streaming(to + first + 256 * n, make_double2(1, 2));
      else
        to[first + 256 * n] = make_double2(1, 2);
    }
}
