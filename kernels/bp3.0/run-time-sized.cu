/* bp3.0/run-time-sized -- one compiled kernel for every degree and number of points, pencils by tiles
 *
 * degrees:  1..15 compiled once
 * points:   1..5
 * operands: I D factors u v points
 * option:   most_threads 128..1024 = 512 -- threads of a block at most: fewer may have more registers
 * flops:    2 * (nq*tiles_nc * (nq*nq + nc*nq + nc*nc) + 6 * nc*tiles_nc * nc*nc + nc*tiles_nq * (nc*nc + nc*nq + nq*nq)) + 17 * nc*nc*nc
 * launch:   apply; threads nc*nc, elements_per_block; shared real * (matrices + elements_per_block * cubes)
 *
 * Degree and points are arguments, so loops have no length that the compiler knows. What stands in registers is a tile
 * of results, whose length is an option. Beside compile-time-sized, the same text, it shows what knowing the sizes is
 * worth. bp30_pencil_tiles.h has the passes. */
#include "lib/operator/bp30_pencil_tiles.h"

BP_KERNEL_BOUNDED(apply, MOST_THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_tiled(degree + 1, points, elements, lambda, I, D, factors, u, v, shared);
}
