/* peaks/gpu-copy -- a copy by a kernel: 16 bytes per access, several of them in flight per thread
 *
 * degrees:  1..1 compiled once
 * option:   vectors_per_thread 1..16 = 4 -- 16-byte pieces that a thread copies
 * option:   evict_first 0..3 = 3 -- what is marked evict-first in L2: 1 what was read, 2 what was written, 3 both
 * option:   keep_sixteenths 0..15 = 0 -- of what is read and marked, so many sixteenths are not
 * launch:   copy; threads 256; blocks (elements + 256 * vectors_per_thread - 1) / (256 * vectors_per_thread)
 *
 * An element is 16 bytes. A block copies a contiguous piece, all its loads before its first store. */
#include "abi/gpu.h"

BP_KERNEL_BOUNDED(copy, 256, 1)
{
  const double2 *from = (const double2 *)u;
  double2 *to = (double2 *)v;
  const long long first = (long long)blockIdx.x * (256 * VECTORS_PER_THREAD) + threadIdx.x;
  const bool leaves =
      (EVICT_FIRST & 1) && (KEEP_SIXTEENTHS == 0 || (int)blockIdx.x % 16 >= KEEP_SIXTEENTHS);
  double2 x[VECTORS_PER_THREAD];
  BP_UNROLL
  for (int n = 0; n < VECTORS_PER_THREAD; ++n)
    if (first + 256 * n < elements)
      x[n] = leaves ? bp_load_streaming(from + first + 256 * n) : from[first + 256 * n];
  BP_UNROLL
  for (int n = 0; n < VECTORS_PER_THREAD; ++n)
    if (first + 256 * n < elements) {
      if (EVICT_FIRST & 2)
        bp_store_streaming(to + first + 256 * n, x[n]);
      else
        to[first + 256 * n] = x[n];
    }
}
