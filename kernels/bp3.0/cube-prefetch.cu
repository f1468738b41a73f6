/* bp3.0/cube-prefetch -- the values at the points in the shared cube too, the factors of a slice loaded ahead
 *
 * degrees:  1..15
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nc, nc, elements_per_block; shared 8 * (nc*(nq + (pad && nq % 8 == 0)) + nc*(nc + (pad && nc % 8 == 0)) + elements_per_block * (nc + 2)*nc*(nc + (pad && nc % 8 == 0)))
 * shared traffic: 8 * (nq*nc + nc*nc) / elements_per_block + 8 * (2 * nq*nc * (nq*nq + nq*nc + nc*nc) + 4 * nq*nq*nq + 4 * nq*nq*nc + 4 * nq*nc*nc + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * Thread (a, b) owns a pencil in r, s and t in turn; cube.h has these passes. Between them, slice by
 * slice: seven factors to registers, gradient in r and s from the cube and in t from the column in
 * registers, two slabs, transposed gradient. */
#include "lib/contract/cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_I, shared, BP_ROW(BP_NQ));
  BP_ROWS_AT(s_D, shared + BP_NC * BP_ROW(BP_NQ), BP_ROW(BP_NC));
  BP_CUBE_AT(cube, &s_D[BP_NC][0] + threadIdx.z * (BP_NC + 2) * BP_NC * BP_ROW(BP_NC), BP_NC,
             BP_ROW(BP_NC));
  double(*s_r)[BP_ROW(BP_NC)] = cube[BP_NC], (*s_s)[BP_ROW(BP_NC)] = cube[BP_NC + 1];
  const int a = threadIdx.x, b = threadIdx.y, plane = BP_NC * BP_NC;
  const size_t e = element_to_read(elements);
  const double *ge = factors + e * 7 * BP_POINTS + b * BP_NC + a;
  double value[BP_NC], result[BP_NC];
  clear(BP_NC, result, 1);
  load_matrix(*s_I, BP_ROW(BP_NQ), I, BP_NC, BP_NQ);
  load_matrix(*s_D, BP_ROW(BP_NC), D, BP_NC, BP_NC);
  interpolate_element(false, s_I, cube, u + e * BP_NODES, value);
  move(BP_NC, &cube[0][b][a], BP_NC * BP_ROW(BP_NC), value, 1);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c) {
    double g[7];
    move(7, g, 1, ge + c * plane, BP_POINTS);
    double gradient[3] = {dot(BP_NC, s_D[a], 1, cube[c][b], 1),
                          dot(BP_NC, s_D[b], 1, &cube[c][0][a], BP_ROW(BP_NC)),
                          dot(BP_NC, s_D[c], 1, value, 1)};
    apply_metric(g, 1, gradient);
    s_r[b][a] = gradient[0];
    s_s[b][a] = gradient[1];
    BP_BARRIER();
    result[c] += lambda * g[6] * value[c] + dot(BP_NC, &s_D[0][a], BP_ROW(BP_NC), s_r[b], 1) +
                 dot(BP_NC, &s_D[0][b], BP_ROW(BP_NC), &s_s[0][a], BP_ROW(BP_NC));
    add_scaled(BP_NC, result, 1, s_D[c], gradient[2]);
    BP_BARRIER();
  }

  project_element(false, s_I, cube, result, element_of_thread() < elements, v + e * BP_NODES);
}
