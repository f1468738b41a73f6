/* bp3.0/nodes-cube -- a thread per point, the values at the points in a shared cube for differentiation
 *
 * degrees:  1..8
 * launch:   apply; threads nc, nc*nc, elements_per_block; shared real * (nc * i_row + slab + elements_per_block * cube)
 * scratch:  (elements + elements_per_block) * 5 * nc*nc*nc
 * shared traffic: real * (nq*nc + nc*nc) / elements_per_block + real * (2 * nc*nq * (nq*nq + nq*nc + nc*nc) + 9 * nc*nc*nc*nc + 2 * nc*nc*nc)
 *
 * Thread (a, b, c) owns a point, with its factors in registers. Sums grow in global memory. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_points_in_global_memory(SUMS_IN_MEMORY | FACTORS_FIRST | VALUES_IN_CUBE, shared, elements,
                                lambda, I, D, factors, scratch, u, v);
}
