/* bp3.0/symmetric-columns -- symmetric passes; differentiation through slabs from columns in registers
 *
 * degrees:  1..15
 * precision: single
 * points:   1..5
 * size:     element_slabs = nc -- slabs of shared memory per element, the cube's included
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (i_half + 2 * slab + elements_per_block * element_slabs * slab)
 * shared traffic: real * (nq*((nc + 1) / 2) + 2 * nc*nc) / elements_per_block + real * (six_passes_symmetric + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * The passes are those of symmetric. Between them the cube is free: three of its slices are the slabs,
 * and the columns of values and results stay in registers. The factors of a slice are on their way
 * while the block waits at a barrier. */
#include "lib/operator/bp30_cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_through_cube(FACTORS_FIRST | VALUES_BY_SLICE | SLABS_IN_CUBE | D_TRANSPOSED | I_SYMMETRIC,
                     shared, elements, lambda, I, D, factors, u, v);
}
