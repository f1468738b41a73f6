/* bp3.0/cube-prefetch -- the values at the points in the shared cube too, the factors of a slice loaded ahead
 *
 * degrees:  1..15
 * points:   1..5
 * size:     element_slabs = nc + 2 -- slabs of shared memory per element, the cube's included
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (nc * i_row + slab + elements_per_block * element_slabs * slab)
 * shared traffic: real * (nq*nc + nc*nc) / elements_per_block + real * (six_passes + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * Thread (a, b) owns a pencil in r, s and t in turn; cube.h has these passes. Between them, slice by
 * slice: seven factors to registers, gradient in r and s from the cube and in t from the column in
 * registers, two slabs, transposed gradient. */
#include "lib/operator/bp30_cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_through_cube(FACTORS_FIRST, shared, elements, lambda, I, D, factors, u, v);
}
