/* bp3.5/largest-sized -- run-time-sized with arrays for the largest degree, as MFEM falls back to
 *
 * degrees:  1..13 compiled once
 * size:     elements_per_block = 1 -- of a thread block
 * size:     pad = 0 -- rows have a length of their own
 * option:   unroll 0..1 = 0 -- unroll every loop as far as a compiler can that does not know the degree
 * launch:   apply; threads nq, nq
 * shared traffic: real * nq*nq + real * (13 * nq*nq*nq*nq + 8 * nq*nq*nq)
 *
 * Static shared memory ends at 48 kB, which 14 nodes along each side fill. A small element takes as much, and few
 * blocks fit a multiprocessor. */
#include "lib/operator/bp35_sized.h"

enum { MOST = 14, MOST_SLAB = MOST * MOST, MOST_CUBE = MOST * MOST_SLAB };

BP_KERNEL_IF(CONST, apply, MOST_SLAB, BLOCKS_PER_SM)
{
  BP_SHARED(real, shared, [MOST_SLAB + 2 * (MOST_CUBE + MOST_SLAB)]);
  const sized_extents extents = {MOST, MOST_SLAB, MOST_CUBE};
  apply_sized(degree + 1, extents, elements, lambda, D, factors, u, v, shared);
}
