/* bp3.0/nodes-global -- a thread per point, one launch, everything but the matrices in global memory
 *
 * degrees:  1..8
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * launch:   apply; threads nc, nc*nc, elements_per_block; shared real * (nc * i_row + slab)
 * scratch:  (elements + elements_per_block) * 5 * nc*nc*nc
 * shared traffic: real * (nq*nc + nc*nc) / elements_per_block + real * (2 * nc*nq * (nq*nq + nq*nc + nc*nc) + 6 * nc*nc*nc*nc)
 *
 * Thread (a, b, c) owns a point. thread_per_point.h has the three parts; their sums grow in global memory. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_points_in_global_memory(SUMS_IN_MEMORY, shared, elements, lambda, I, D, factors, scratch, u,
                                v);
}
