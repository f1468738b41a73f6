/* bp3.0/cube-transposed -- D and its transpose in shared memory: threads of a row read side by side
 *
 * degrees:  1..15
 * size:     element_slabs = nc + 1 -- slabs of shared memory per element, the cube's included
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (nc * i_row + 2 * slab + elements_per_block * element_slabs * slab)
 * shared traffic: real * (nq*nc + 2 * nc*nc) / elements_per_block + real * (six_passes + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * As cube-one-slab, but an entry that depends on a = threadIdx.x always comes from a row of D or of its
 * transpose, never from a column. */
#include "lib/operator/bp30_cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_through_cube(FACTORS_FIRST | FLUX_IN_PLACE | D_TRANSPOSED, shared, elements, lambda, I, D,
                     factors, u, v);
}
