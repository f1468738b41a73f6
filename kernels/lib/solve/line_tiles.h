/* line_tiles.h -- lines.h for tiles on the tensor cores: a table of an element's lines in shared memory,
 * and a tile's pencils along t to their places in memory. */
#ifndef BP_KERNELS_SOLVE_LINE_TILES_H
#define BP_KERNELS_SOLVE_LINE_TILES_H

#include "lib/contract/mma_tile.h"
#include "lib/solve/lines.h"

/* The lines of all pencils, by all threads; a barrier has to follow. */
BP_DEVICE void lines_start(node_line *lines)
{
  for (int n = bp_thread(); n < NODES_2D; n += bp_threads())
    lines[n] = node_line_of(n);
}

/* Stores the lane's values of its pencil h of two; returns their part of v . v. */
BP_DEVICE real line_store_tile(const element_places *to, const node_line *line, int h,
                               const tile_values *x)
{
  const int q = bp_lane() % 4;
  real squares = line_store(to, line, q, x->low[2 * h]);
  squares += line_store(to, line, BP_N - q, x->high[2 * h]);
  if (q + 4 < BP_HALF(BP_NQ)) {
    squares += line_store(to, line, q + 4, x->low[2 * h + 1]);
    if (q + 4 != BP_N - q - 4)
      squares += line_store(to, line, BP_N - q - 4, x->high[2 * h + 1]);
  }
  return squares;
}

#endif
