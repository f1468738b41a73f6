/* bp3.5/nodes-factors -- a thread per node, its seven factors loaded once to registers
 *
 * degrees:  1..9
 * launch:   apply; threads nq, nq*nq, elements_per_block; shared 8 * slab
 * scratch:  (elements + elements_per_block) * 3 * nq*nq*nq
 * shared traffic: 8 * nq*nq / elements_per_block + 8 * (6 * nq*nq*nq*nq)
 *
 * Thread (a, b, c) owns a node. As nodes-global, with the factors on their way from the start. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(double, s_D);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  double *flux = scratch + (size_t)element_of_thread() * 3 * NODES_3D;
  double g[7];
  move(7, g, 1, t.factors, NODES_3D);
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();
  apply_in_global_memory(true, &d, &t, t.u, BP_NQ, g, 1, lambda, flux, t.stores, t.v + t.at);
}
