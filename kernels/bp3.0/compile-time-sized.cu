/* bp3.0/compile-time-sized -- run-time-sized, compiled for each degree and number of points
 *
 * degrees:  1..15
 * points:   1..5
 * flops:    2 * (nq*tiles_nc * (nq*nq + nc*nq + nc*nc) + 6 * nc*tiles_nc * nc*nc + nc*tiles_nq * (nc*nc + nc*nq + nq*nq)) + 17 * nc*nc*nc
 * launch:   apply; threads nc*nc, elements_per_block; shared real * (matrices + elements_per_block * cubes)
 *
 * bp30_pencil_tiles.h has the passes; here the compiler knows how long each loop is. */
#include "lib/operator/bp30_pencil_tiles.h"

BP_KERNEL_BOUNDED(apply, BP_THREADS_AT_MOST(BP_NC *BP_NC *ELEMENTS_PER_BLOCK), BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_tiled(BP_NQ, BP_NC, elements, lambda, I, D, factors, u, v, shared);
}
