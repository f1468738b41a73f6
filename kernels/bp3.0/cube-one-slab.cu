/* bp3.0/cube-one-slab -- a slice of the cube serves again as a slab
 *
 * degrees:  1..15
 * size:     element_slabs = nc + 1 -- slabs of shared memory per element, the cube's included
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (nc * i_row + slab + elements_per_block * element_slabs * slab)
 * shared traffic: real * (nq*nc + nc*nc) / elements_per_block + real * (six_passes + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * As cube-prefetch, but the r component overwrites the slice of values, which nobody needs once the
 * gradient is taken: one slab less. */
#include "lib/operator/bp30_cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_through_cube(FACTORS_FIRST | FLUX_IN_PLACE, shared, elements, lambda, I, D, factors, u, v);
}
