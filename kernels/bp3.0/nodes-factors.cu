/* bp3.0/nodes-factors -- a thread per point, its seven factors loaded once to registers
 *
 * degrees:  1..8
 * launch:   apply; threads nc, nc*nc, elements_per_block; shared real * (nc * i_row + slab)
 * scratch:  (elements + elements_per_block) * 5 * nc*nc*nc
 * shared traffic: real * (nq*nc + nc*nc) / elements_per_block + real * (2 * nc*nq * (nq*nq + nq*nc + nc*nc) + 6 * nc*nc*nc*nc)
 *
 * Thread (a, b, c) owns a point. As nodes-global, with the factors on their way from the start. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  apply_points_in_global_memory(SUMS_IN_MEMORY | FACTORS_FIRST, shared, elements, lambda, I, D,
                                factors, scratch, u, v);
}
