/* bp3.5/nodes-global -- a thread per node, everything but D in global memory
 *
 * degrees:  1..9
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * launch:   apply; threads nq, nq*nq, elements_per_block; shared real * slab
 * scratch:  (elements + elements_per_block) * 3 * nq*nq*nq
 * shared traffic: real * nq*nq / elements_per_block + real * (6 * nq*nq*nq*nq)
 *
 * Thread (a, b, c) owns a node. Its three sums grow in global scratch, are multiplied by the metric
 * there with factors loaded where they are used, and the result grows in v. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(real, s_D);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  const int row = t.c * NODES_2D + t.b * BP_NQ, column = t.c * NODES_2D + t.a,
            line = t.b * BP_NQ + t.a;
  real *flux = scratch + (size_t)element_of_thread() * 3 * NODES_3D, *flux_r = flux + t.at;
  real *flux_s = flux_r + NODES_3D, *flux_t = flux_s + NODES_3D, *to = t.v + t.at;
  const real *g = t.factors;
  load_matrix(s_D, ROW, D, BP_NQ, BP_NQ);
  BP_BARRIER();
  *flux_r = *flux_s = *flux_t = 0;
  add_dot(flux_r, BP_NQ, s_D + t.a * ROW, 1, t.u + row, 1);
  add_dot(flux_s, BP_NQ, s_D + t.b * ROW, 1, t.u + column, BP_NQ);
  add_dot(flux_t, BP_NQ, s_D + t.c * ROW, 1, t.u + line, NODES_2D);
  const real ur = *flux_r, us = *flux_s, ut = *flux_t;
  *flux_r = g[0] * ur + g[NODES_3D] * us + g[2 * NODES_3D] * ut;
  *flux_s = g[NODES_3D] * ur + g[3 * NODES_3D] * us + g[4 * NODES_3D] * ut;
  *flux_t = g[2 * NODES_3D] * ur + g[4 * NODES_3D] * us + g[5 * NODES_3D] * ut;
  BP_BARRIER();
  if (t.stores) {
    *to = lambda * g[6 * NODES_3D] * t.u[t.at];
    add_dot(to, BP_NQ, s_D + t.a, ROW, flux + row, 1);
    add_dot(to, BP_NQ, s_D + t.b, ROW, flux + NODES_3D + column, BP_NQ);
    add_dot(to, BP_NQ, s_D + t.c, ROW, flux + 2 * NODES_3D + line, NODES_2D);
  }
}
