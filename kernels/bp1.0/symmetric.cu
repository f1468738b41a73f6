/* bp1.0/symmetric -- the shared cube, and one load of an entry of I serves two sums
 *
 * degrees:  1..15
 * precision: single
 * launch:   apply; threads nc, nc, elements_per_block; shared real * ((nc + 1) / 2 * i_row + elements_per_block * cube)
 * shared traffic: real * ((nc + 1) / 2) * nq / elements_per_block + real * six_passes_symmetric
 *
 * I[c][q] = I[nc-1-c][nq-1-q], so half of I is kept and loaded. Thread (a, b) owns a pencil in r, s
 * and t in turn. cube.h has the passes. */
#include "lib/contract/cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_I = shared, *cube = s_I + I_ROWS(true) * I_ROW + threadIdx.z * CUBE, column[BP_NC];
  load_matrix(s_I, I_ROW, I, I_ROWS(true), BP_NQ);
  interpolate_element(true, s_I, cube, &t, column);
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    column[c] *= t.factors[c * POINTS_2D];
  project_element(true, s_I, cube, &t, column);
}
