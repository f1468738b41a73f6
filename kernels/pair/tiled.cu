/* pair/tiled -- the y loop in tiles, so that what is read of x serves a tile: as on a CPU
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   tile 2..8 = 4 -- species y of a tile
 * option:   dummy_shared 0..229376 = 0 -- bytes of shared memory that a block has and does not use: fewer blocks
 * option:   threads 32..1024 = 256 -- of a block
 * launch:   apply; threads threads; blocks (elements + threads - 1) / threads; shared dummy_shared
 *
 * The tile's ay and by are meant to stay in the cache, not in registers, so they are read again for every x. With
 * fewer blocks a thread has more of the cache: what the text calls reduced occupancy. */
#include "lib/pair/arrays.h"

BP_KERNEL_BOUNDED(apply, THREADS, 1)
{
  const pair_arrays a = PAIR_ARRAYS;
  const long long t = (long long)blockIdx.x * THREADS + threadIdx.x;
  if (t >= elements)
    return;
  BP_NO_UNROLL
  for (int first = 0; first < BP_FIELDS; first += TILE)
    BP_NO_UNROLL
    for (int x = 0; x < BP_FIELDS; ++x)
      BP_NO_UNROLL
      for (int y = first; y < min(first + TILE, BP_FIELDS); ++y)
        pair_store(&a, x, y, t, a.ax[x * a.points + t], a.ay[y * a.points + t],
                   a.bx[x * a.points + t], a.by[y * a.points + t]);
}
