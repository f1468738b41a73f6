/* bp3.0/nodes-parts -- a thread per point, two shared cubes within a part, global memory between parts
 *
 * degrees:  1..8
 * launch:   apply; threads nc, nc*nc, elements_per_block; shared real * (nc * i_row + slab + elements_per_block * 2 * cube)
 * scratch:  (elements + elements_per_block) * 2 * nc*nc*nc
 * shared traffic: real * (nq*nc + nc*nc) / elements_per_block + real * (nc*nq*nq*nq + 2 * nc*nc*nq*nq + 2 * nc*nc*nc*nq + nc*nq*nq + nc*nc*nq + 2 * nc*nc*nq*nq + 2 * nc*nq*nq*nq + nc*nq*nq + nc*nc*nq + nc*nc*nc*nq + 12 * nc*nc*nc*nc + 4 * nc*nc*nc)
 *
 * Thread (a, b, c) owns a point, with its factors and sums in registers. The three components of the
 * flux take turns in the two cubes. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  real *s_I = shared, *s_D = s_I + BP_NC * I_ROW;
  real *p = s_D + SLAB + threadIdx.z * 2 * CUBE, *q = p + CUBE;
  real *values = scratch + (size_t)element_of_thread() * 2 * POINTS_3D;
  real *results = values + POINTS_3D, g[7];
  move(7, g, 1, t.factors, POINTS_3D);
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();
  interpolate_to_point(false, s_I, &t, p, q, ROW, &values[t.at]);
  const real value = values[t.at];
  p[point_at(ROW)] = value;
  BP_BARRIER();
  results[t.at] = apply_through_two_cubes(&d, &t, g, lambda, value, p, q);
  BP_BARRIER();
  project_from_points(false, s_I, &t, results, BP_NC, p, q, ROW);
}
