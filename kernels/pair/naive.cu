/* pair/naive -- a thread per point, two loops over the species, nothing kept
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   threads 32..1024 = 256 -- of a block
 * launch:   apply; threads threads; blocks (elements + threads - 1) / threads
 *
 * As in the text: neither loop is unrolled. The compiler may keep ay and by in registers. */
#include "lib/pair/arrays.h"

BP_KERNEL_BOUNDED(apply, THREADS, 1)
{
  const pair_arrays a = PAIR_ARRAYS;
  const long long t = (long long)blockIdx.x * THREADS + threadIdx.x;
  if (t >= elements)
    return;
  BP_NO_UNROLL
  for (int y = 0; y < BP_FIELDS; ++y)
    BP_NO_UNROLL
    for (int x = 0; x < BP_FIELDS; ++x)
      pair_store(&a, x, y, t, a.ax[x * a.points + t], a.ay[y * a.points + t],
                 a.bx[x * a.points + t], a.by[y * a.points + t]);
}
