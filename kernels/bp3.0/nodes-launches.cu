/* bp3.0/nodes-launches -- a thread per point, three launches, everything but the matrices in global memory
 *
 * degrees:  1..8
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * launch:   interpolate; threads nc, nc*nc, elements_per_block; shared real * nc * i_row
 * launch:   differentiate; threads nc, nc*nc, elements_per_block; shared real * slab
 * launch:   project; threads nc, nc*nc, elements_per_block; shared real * nc * i_row
 * scratch:  (elements + elements_per_block) * 5 * nc*nc*nc
 * shared traffic: real * (2 * nq*nc + nc*nc) / elements_per_block + real * (2 * nc*nq * (nq*nq + nq*nc + nc*nc) + 6 * nc*nc*nc*nc)
 *
 * Thread (a, b, c) owns a point. Each part is a kernel of its own; its sums grow in global memory. */
#include "lib/operator/thread_per_point.h"

/* The thread's arrays of points: p, and behind it q and the flux. */
BP_DEVICE real *scratch_of_element(real *scratch)
{
  return scratch + (size_t)element_of_thread() * 5 * POINTS_3D;
}

BP_KERNEL_OF_POINTS(interpolate)
{
  BP_DYNAMIC_SHARED(real, s_I);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  real *p = scratch_of_element(scratch);
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  BP_BARRIER();
  interpolate_to_point(true, s_I, &t, p, p + POINTS_3D, BP_NC, p + t.at);
}

BP_KERNEL_OF_POINTS(differentiate)
{
  BP_DYNAMIC_SHARED(real, s_D);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  real *p = scratch_of_element(scratch), *q = p + POINTS_3D;
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();
  apply_in_global_memory(true, &d, &t, p, BP_NC, t.factors, POINTS_3D, lambda, q + POINTS_3D,
                         q + t.at);
}

BP_KERNEL_OF_POINTS(project)
{
  BP_DYNAMIC_SHARED(real, s_I);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  real *p = scratch_of_element(scratch), *q = p + POINTS_3D;
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  BP_BARRIER();
  project_from_points(true, s_I, &t, q, BP_NC, p, q + POINTS_3D, BP_NC);
}
