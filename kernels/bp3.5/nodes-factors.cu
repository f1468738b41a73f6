/* bp3.5/nodes-factors -- a thread per node, its seven factors loaded once to registers
 *
 * degrees:  1..9
 * launch:   apply; threads nq, nq*nq, elements_per_block; shared real * slab
 * scratch:  (elements + elements_per_block) * 3 * nq*nq*nq
 * shared traffic: real * nq*nq / elements_per_block + real * (6 * nq*nq*nq*nq)
 *
 * Thread (a, b, c) owns a node. As nodes-global, with the factors on their way from the start. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(real, s_D);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  const int row = t.c * NODES_2D + t.b * BP_NQ, column = t.c * NODES_2D + t.a,
            line = t.b * BP_NQ + t.a;
  real *flux = scratch + (size_t)element_of_thread() * 3 * NODES_3D, *flux_r = flux + t.at;
  real *flux_s = flux_r + NODES_3D, *flux_t = flux_s + NODES_3D, *to = t.v + t.at;
  real g[7];
  move(7, g, 1, t.factors, NODES_3D);
  load_matrix(s_D, ROW, D, BP_NQ, BP_NQ);
  BP_BARRIER();
  *flux_r = *flux_s = *flux_t = 0;
  add_dot(flux_r, BP_NQ, s_D + t.a * ROW, 1, t.u + row, 1);
  add_dot(flux_s, BP_NQ, s_D + t.b * ROW, 1, t.u + column, BP_NQ);
  add_dot(flux_t, BP_NQ, s_D + t.c * ROW, 1, t.u + line, NODES_2D);
  real gradient[3] = {*flux_r, *flux_s, *flux_t};
  apply_metric(g, 1, gradient);
  *flux_r = gradient[0];
  *flux_s = gradient[1];
  *flux_t = gradient[2];
  BP_BARRIER();
  if (t.stores) {
    *to = lambda * g[6] * t.u[t.at];
    add_dot(to, BP_NQ, s_D + t.a, ROW, flux + row, 1);
    add_dot(to, BP_NQ, s_D + t.b, ROW, flux + NODES_3D + column, BP_NQ);
    add_dot(to, BP_NQ, s_D + t.c, ROW, flux + 2 * NODES_3D + line, NODES_2D);
  }
}
