/* pair/unroll-and-jam -- the tile's ay and by in registers: each x is read once for a tile
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   jam 2..8 = 2 -- species y at once
 * option:   threads 32..1024 = 256 -- of a block
 * launch:   apply; threads threads; blocks (elements + threads - 1) / threads
 *
 * The loop over the tile is unrolled and stands inside the loop over x. */
#include "lib/pair/arrays.h"

BP_KERNEL_BOUNDED(apply, THREADS, 1)
{
  const pair_arrays a = PAIR_ARRAYS;
  const long long t = (long long)blockIdx.x * THREADS + threadIdx.x;
  double ay[JAM], by[JAM];
  if (t >= elements)
    return;
  BP_NO_UNROLL
  for (int first = 0; first < BP_FIELDS; first += JAM) {
    BP_UNROLL
    for (int n = 0; n < JAM; ++n)
      if (first + n < BP_FIELDS) {
        ay[n] = a.ay[(first + n) * a.points + t];
        by[n] = a.by[(first + n) * a.points + t];
      }
    BP_NO_UNROLL
    for (int x = 0; x < BP_FIELDS; ++x) {
      const double ax = a.ax[x * a.points + t], bx = a.bx[x * a.points + t];
      BP_UNROLL
      for (int n = 0; n < JAM; ++n)
        if (first + n < BP_FIELDS)
          pair_store(&a, x, first + n, t, ax, ay[n], bx, by[n]);
    }
  }
}
