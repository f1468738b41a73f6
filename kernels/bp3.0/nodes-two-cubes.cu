/* bp3.0/nodes-two-cubes -- a thread per point, two shared cubes and no global scratch
 *
 * degrees:  1..8
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nc, nc*nc, elements_per_block; shared 8 * (nc*(nq + (pad && nq % 8 == 0)) + nc*(nc + (pad && nc % 8 == 0)) + elements_per_block * 2 * nc*nc*(nc + (pad && nc % 8 == 0)))
 * shared traffic: 8 * (nq*nc + nc*nc) / elements_per_block + 8 * (nc*nq*nq*nq + 2 * nc*nc*nq*nq + 2 * nc*nc*nc*nq + nc*nq*nq + nc*nc*nq + 2 * nc*nc*nq*nq + 2 * nc*nq*nq*nq + nc*nq*nq + nc*nc*nq + 2 * nc*nc*nc*nq + 12 * nc*nc*nc*nc + 5 * nc*nc*nc)
 *
 * Thread (a, b, c) owns a point, with its factors and sums in registers. The three components of the
 * flux take turns in the two cubes. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_I, shared, BP_ROW(BP_NQ));
  BP_ROWS_AT(s_D, shared + BP_NC * BP_ROW(BP_NQ), BP_ROW(BP_NC));
  double *p = &s_D[BP_NC][0] + threadIdx.z * 2 * BP_NC * BP_NC * BP_ROW(BP_NC);
  double *q = p + BP_NC * BP_NC * BP_ROW(BP_NC);
  const int row = BP_ROW(BP_NC), here = point_at(row);
  const size_t e = element_to_read(elements);
  const double *ge = factors + e * 7 * BP_POINTS + point_at(BP_NC);
  double g[7];
  move(7, g, 1, ge, BP_POINTS);
  load_matrix(*s_I, BP_ROW(BP_NQ), I, BP_NC, BP_NQ);
  load_matrix(*s_D, BP_ROW(BP_NC), D, BP_NC, BP_NC);
  BP_BARRIER();
  double value;
  interpolate_to_point(false, s_I, u + e * BP_NODES, p, q, row, &value);

  p[here] = value;
  BP_BARRIER();
  double gradient[3];
  differentiate_at_point(s_D, p, row, gradient);
  apply_metric(g, 1, gradient);
  q[here] = gradient[0];
  BP_BARRIER();
  p[here] = gradient[1];
  double sum = lambda * g[6] * value + transposed_at_point(s_D, 0, q, row);
  BP_BARRIER();
  q[here] = gradient[2];
  sum += transposed_at_point(s_D, 1, p, row);
  BP_BARRIER();
  sum += transposed_at_point(s_D, 2, q, row);
  p[here] = sum;
  BP_BARRIER();

  project_from_points(false, s_I, p, row, p, q, row, element_of_thread() < elements,
                      v + e * BP_NODES);
}
