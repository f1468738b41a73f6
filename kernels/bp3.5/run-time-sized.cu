/* bp3.5/run-time-sized -- one compiled kernel for every degree, two cubes in dynamic shared memory
 *
 * degrees:  1..15 compiled once
 * option:   unroll 0..1 = 0 -- unroll every loop as far as a compiler can that does not know the degree
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * (2 * nq + 2)*slab)
 * shared traffic: real * nq*nq / elements_per_block + real * (13 * nq*nq*nq*nq + 8 * nq*nq*nq)
 *
 * The degree is an argument. Beside compile-time-sized and largest-sized, the same text, it shows what knowing the
 * degree is worth, and what dynamic shared memory is. */
#include "lib/operator/bp35_sized.h"

BP_KERNEL_IF(CONST, apply, 1024, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  const int nc = degree + 1, row = nc + (PAD && nc % 8 == 0);
  const sized_extents extents = {row, nc * row, nc * nc * row};
  apply_sized(nc, extents, elements, lambda, D, factors, u, v, shared);
}
