/* bp3.5/nodes-sums -- a thread per node, factors and sums in registers, u and the fluxes in global memory
 *
 * degrees:  1..9
 * launch:   apply; threads nq, nq*nq, elements_per_block; shared real * slab
 * scratch:  (elements + elements_per_block) * 3 * nq*nq*nq
 * shared traffic: real * nq*nq / elements_per_block + real * (6 * nq*nq*nq*nq)
 *
 * Thread (a, b, c) owns a node. Global scratch holds the three components between the halves. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(real, s_D);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  real *flux = scratch + (size_t)element_of_thread() * 3 * NODES_3D;
  real g[7];
  move(7, g, 1, t.factors, NODES_3D);
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();
  const real sum =
      apply_through_fluxes(&d, &t, g, lambda, t.u[t.at], t.u, BP_NQ, flux, BP_NQ, NODES_3D);
  if (t.stores)
    t.v[t.at] = sum;
}
