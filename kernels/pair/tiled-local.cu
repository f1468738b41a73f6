/* pair/tiled-local -- the tile in an array in local memory: L1 beside the read-only path
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   tile 2..8 = 2 -- species y of a tile
 * option:   threads 32..1024 = 256 -- of a block
 * launch:   apply; threads threads; blocks (elements + threads - 1) / threads
 *
 * The inner loop is not unrolled, so the array has no place in registers. On Kepler local memory was cached in L1, a
 * memory of its own; today L1 and the read-only path are one cache. */
#include "lib/pair/arrays.h"

BP_KERNEL_BOUNDED(apply, THREADS, 1)
{
  const pair_arrays a = PAIR_ARRAYS;
  const long long t = (long long)blockIdx.x * THREADS + threadIdx.x;
  double ay[TILE], by[TILE];
  if (t >= elements)
    return;
  BP_NO_UNROLL
  for (int first = 0; first < BP_FIELDS; first += TILE) {
    const int count = min(TILE, BP_FIELDS - first);
    BP_NO_UNROLL
    for (int n = 0; n < count; ++n) {
      ay[n] = a.ay[(first + n) * a.points + t];
      by[n] = a.by[(first + n) * a.points + t];
    }
    BP_NO_UNROLL
    for (int x = 0; x < BP_FIELDS; ++x)
      BP_NO_UNROLL
      for (int n = 0; n < count; ++n)
        pair_store(&a, x, first + n, t, bp_load_cached(a.ax + x * a.points + t), ay[n],
                   bp_load_cached(a.bx + x * a.points + t), by[n]);
  }
}
