/* pencil_tiles.h -- contractions of pencils in shared memory whose lengths need not be known when a kernel
 * is compiled: a thread owns a pencil and computes TILE values of the result at a time, in registers.
 *
 * A matrix lies in shared memory with the entries that belong to one value of the input side by side: entry m gives
 * matrix[m * row + c] * from[m] to value c. All threads of a warp read the same entries at the same time. A row is
 * as long as all tiles of it, an even number of doubles; what is behind the result's length is 0.
 *
 * option: tile 1..10 = 4 -- values that a thread computes at a time
 * size: tiles_nq = (nq + tile - 1) / tile * tile -- nodes of all tiles
 * size: tiles_nc = (nc + tile - 1) / tile * tile -- points of all tiles
 * size: row_nq = tiles_nq + tiles_nq % 2 -- from row to row of a matrix that gives nodes
 * size: row_nc = tiles_nc + tiles_nc % 2 -- of one that gives points */
#ifndef BP_KERNELS_PENCIL_TILES_H
#define BP_KERNELS_PENCIL_TILES_H

#include "abi/gpu.h"

/* Loops whose lengths only the twin knows: unrolled there as the compiler likes, else a little. */
#ifdef BP_N
#define UNROLL_TILES
#define UNROLL_INPUTS
#else
#define UNROLL_TILES  BP_NO_UNROLL
#define UNROLL_INPUTS BP_UNROLL_BY(2)
#endif

/* Doubles from row to row of a matrix that gives so many values. */
BP_DEVICE int tiled_row(int values)
{
  const int tiles = (values + TILE - 1) / TILE * TILE;
  return tiles + tiles % 2;
}

/* to[m * row + c] = from[m * m_step + c * c_step], zeros behind; by all threads of the block. */
BP_DEVICE void load_tiled(real *to, int row, const real *from, int inputs, int outputs, int m_step,
                          int c_step)
{
  for (int n = bp_thread(); n < inputs * row; n += bp_threads()) {
    const int m = n / row, c = n % row;
    to[n] = c < outputs ? from[m * m_step + c * c_step] : 0;
  }
}

/* sum[s] += x * entries[s]; where tiles have an even length, by pairs. */
BP_DEVICE void add_tile(const real *entries, real x, real *sum)
{
  if (TILE % 2 == 0) {
    BP_UNROLL
    for (int s = 0; s < TILE / 2; ++s) {
      const double2 pair = ((const double2 *)entries)[s];
      sum[2 * s] += pair.x * x;
      sum[2 * s + 1] += pair.y * x;
    }
  } else {
    BP_UNROLL
    for (int s = 0; s < TILE; ++s)
      sum[s] += entries[s] * x;
  }
}

/* to[c * to_step] = sum over m of matrix[m * row + c] from[m * from_step], or added to what is there. */
BP_DEVICE void contract_tiles(bool add, const real *matrix, int row, int inputs, int outputs,
                              const real *from, int from_step, real *to, int to_step)
{
  UNROLL_TILES
  for (int first = 0; first < outputs; first += TILE) {
    real sum[TILE];
    BP_UNROLL
    for (int s = 0; s < TILE; ++s)
      sum[s] = add && first + s < outputs ? to[(first + s) * to_step] : 0;
    UNROLL_INPUTS
    for (int m = 0; m < inputs; ++m)
      add_tile(matrix + m * row + first, from[m * from_step], sum);
    BP_UNROLL
    for (int s = 0; s < TILE; ++s)
      if (first + s < outputs)
        to[(first + s) * to_step] = sum[s];
  }
}

#endif
