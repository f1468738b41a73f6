/* bp3.0/registers -- slice by slice through three shared slabs, all columns in registers
 *
 * degrees:  1..15
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nc, nc, elements_per_block; shared 8 * (nc*(nq + (pad && nq % 8 == 0)) + nc*(nc + (pad && nc % 8 == 0)) + elements_per_block * 3 * nc*(nc + (pad && nc % 8 == 0)))
 * shared traffic: 8 * (nq*nc + nc*nc) / elements_per_block + 8 * (2 * nc*nq*nq*nq + 4 * nc*nc*nq*nq + 4 * nc*nc*nc*nq + nc*nq*nq + 2 * nc*nc*nq + nc*nc*nc + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * Thread (a, b) owns a column in t, of u, of the values at the points, and of the results there and at
 * the nodes. Three loops over slices of points: interpolate u to them; gradient, metric, transposed
 * gradient; project. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_I, shared, BP_ROW(BP_NQ));
  BP_ROWS_AT(s_D, shared + BP_NC * BP_ROW(BP_NQ), BP_ROW(BP_NC));
  BP_ROWS_AT(s_u, &s_D[BP_NC + threadIdx.z * 3 * BP_NC][0], BP_ROW(BP_NC));
  double(*s_r)[BP_ROW(BP_NC)] = s_u + BP_NC, (*s_s)[BP_ROW(BP_NC)] = s_r + BP_NC;
  const int a = threadIdx.x, b = threadIdx.y, plane = BP_NC * BP_NC;
  const size_t e = element_to_read(elements);
  const double *ge = factors + e * 7 * BP_POINTS + b * BP_NC + a;
  const bool is_node = a < BP_NQ && b < BP_NQ;
  double r_u[BP_NQ], r_v[BP_NQ], value[BP_NC], result[BP_NC];
  if (is_node)
    move(BP_NQ, r_u, 1, u + e * BP_NODES + b * BP_NQ + a, BP_NQ * BP_NQ);
  clear(BP_NQ, r_v, 1);
  clear(BP_NC, result, 1);
  load_matrix(*s_I, BP_ROW(BP_NQ), I, BP_NC, BP_NQ);
  load_matrix(*s_D, BP_ROW(BP_NC), D, BP_NC, BP_NC);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c) {
    if (is_node)
      s_u[b][a] = dot(BP_NQ, s_I[c], 1, r_u, 1);
    BP_BARRIER();
    if (b < BP_NQ)
      s_r[b][a] = dot(BP_NQ, s_I[a], 1, s_u[b], 1);
    BP_BARRIER();
    value[c] = dot(BP_NQ, s_I[b], 1, &s_r[0][a], BP_ROW(BP_NC));
  }

  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c) {
    s_u[b][a] = value[c];
    BP_BARRIER();
    double gradient[3] = {dot(BP_NC, s_D[a], 1, s_u[b], 1),
                          dot(BP_NC, s_D[b], 1, &s_u[0][a], BP_ROW(BP_NC)),
                          dot(BP_NC, s_D[c], 1, value, 1)};
    apply_metric(ge + c * plane, BP_POINTS, gradient);
    s_r[b][a] = gradient[0];
    s_s[b][a] = gradient[1];
    BP_BARRIER();
    result[c] += lambda * ge[6 * BP_POINTS + c * plane] * value[c] +
                 dot(BP_NC, &s_D[0][a], BP_ROW(BP_NC), s_r[b], 1) +
                 dot(BP_NC, &s_D[0][b], BP_ROW(BP_NC), &s_s[0][a], BP_ROW(BP_NC));
    add_scaled(BP_NC, result, 1, s_D[c], gradient[2]);
  }

  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c) {
    s_u[b][a] = result[c];
    BP_BARRIER();
    if (b < BP_NQ)
      s_r[b][a] = dot(BP_NC, &s_I[0][b], BP_ROW(BP_NQ), &s_u[0][a], BP_ROW(BP_NC));
    BP_BARRIER();
    if (is_node)
      add_scaled(BP_NQ, r_v, 1, s_I[c], dot(BP_NC, &s_I[0][a], BP_ROW(BP_NQ), s_r[b], 1));
  }
  if (is_node && element_of_thread() < elements)
    move(BP_NQ, v + e * BP_NODES + b * BP_NQ + a, BP_NQ * BP_NQ, r_v, 1);
}
