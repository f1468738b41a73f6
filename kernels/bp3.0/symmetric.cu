/* bp3.0/symmetric -- the shared cube, and one load of an entry of I serves two sums
 *
 * degrees:  1..15
 * precision: single
 * points:   1..5
 * size:     element_slabs = nc + 1 -- slabs of shared memory per element, the cube's included
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (i_half + 2 * slab + elements_per_block * element_slabs * slab)
 * shared traffic: real * (nq*((nc + 1) / 2) + 2 * nc*nc) / elements_per_block + real * (six_passes_symmetric + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * As cube-transposed, with I[c][q] = I[nc-1-c][nq-1-q] used in all six passes of cube.h: half of I is kept
 * and loaded. */
#include "lib/operator/bp30_cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_through_cube(FACTORS_FIRST | FLUX_IN_PLACE | D_TRANSPOSED | I_SYMMETRIC, shared, elements,
                     lambda, I, D, factors, u, v);
}
