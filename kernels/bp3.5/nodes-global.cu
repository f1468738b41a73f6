/* bp3.5/nodes-global -- a thread per node, everything but D in global memory
 *
 * degrees:  1..9
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * launch:   apply; threads nq, nq*nq, elements_per_block; shared 8 * slab
 * scratch:  (elements + elements_per_block) * 3 * nq*nq*nq
 * shared traffic: 8 * nq*nq / elements_per_block + 8 * (6 * nq*nq*nq*nq)
 *
 * Thread (a, b, c) owns a node. Its three sums grow in global scratch, are multiplied by the metric
 * there with factors loaded where they are used, and the result grows in v. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(double, s_D);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  double *flux = scratch + (size_t)element_of_thread() * 3 * NODES_3D;
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();
  apply_in_global_memory(true, &d, &t, t.u, BP_NQ, t.factors, NODES_3D, lambda, flux, t.stores,
                         t.v + t.at);
}
