/* bp3.0/nodes-launches -- a thread per point, three launches, everything but the matrices in global memory
 *
 * degrees:  1..8
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   interpolate; threads nc, nc*nc, elements_per_block; shared 8 * nc*(nq + (pad && nq % 8 == 0))
 * launch:   differentiate; threads nc, nc*nc, elements_per_block; shared 8 * nc*(nc + (pad && nc % 8 == 0))
 * launch:   project; threads nc, nc*nc, elements_per_block; shared 8 * nc*(nq + (pad && nq % 8 == 0))
 * scratch:  (elements + elements_per_block) * 5 * nc*nc*nc
 * shared traffic: 8 * (2 * nq*nc + nc*nc) / elements_per_block + 8 * (2 * nc*nq * (nq*nq + nq*nc + nc*nc) + 6 * nc*nc*nc*nc)
 *
 * Thread (a, b, c) owns a point. Each part is a kernel of its own; its sums grow in global memory. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(interpolate)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_I, shared, BP_ROW(BP_NQ));
  double *p = scratch + (size_t)element_of_thread() * 5 * BP_POINTS, *q = p + BP_POINTS;
  load_matrix(*s_I, BP_ROW(BP_NQ), I, BP_NC, BP_NQ);
  BP_BARRIER();
  interpolate_to_point(true, s_I, u + element_to_read(elements) * BP_NODES, p, q, BP_NC,
                       p + point_at(BP_NC));
}

BP_KERNEL_OF_POINTS(differentiate)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_D, shared, BP_ROW(BP_NC));
  const size_t e = element_to_read(elements);
  double *p = scratch + (size_t)element_of_thread() * 5 * BP_POINTS, *q = p + BP_POINTS;
  double *flux = q + BP_POINTS;
  const double *ge = factors + e * 7 * BP_POINTS + point_at(BP_NC);
  load_matrix(*s_D, BP_ROW(BP_NC), D, BP_NC, BP_NC);
  BP_BARRIER();
  apply_at_point(true, s_D, p, BP_NC, ge, BP_POINTS, lambda, flux, q + point_at(BP_NC));
}

BP_KERNEL_OF_POINTS(project)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_I, shared, BP_ROW(BP_NQ));
  const size_t e = element_to_read(elements);
  double *p = scratch + (size_t)element_of_thread() * 5 * BP_POINTS, *q = p + BP_POINTS;
  double *flux = q + BP_POINTS;
  load_matrix(*s_I, BP_ROW(BP_NQ), I, BP_NC, BP_NQ);
  BP_BARRIER();
  project_from_points(true, s_I, q, BP_NC, p, flux, BP_NC, element_of_thread() < elements,
                      v + e * BP_NODES);
}
