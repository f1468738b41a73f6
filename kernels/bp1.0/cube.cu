/* bp1.0/cube -- the whole element in one shared cube, each contraction a pencil in registers
 *
 * degrees:  1..15
 * points:   1..5
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (nc * i_row + elements_per_block * cube)
 * shared traffic: real * (nc) * nq / elements_per_block + real * six_passes
 *
 * Thread (a, b) owns a pencil in r, s and t in turn; six barriers per element instead of four per
 * slice. cube.h has the passes. */
#include "lib/contract/cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_I = shared, *cube = s_I + I_ROWS(false) * I_ROW + threadIdx.z * CUBE, column[BP_NC];
  load_matrix(s_I, I_ROW, I, I_ROWS(false), BP_NQ);
  interpolate_element(false, s_I, cube, &t, column);
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    column[c] *= t.factors[c * POINTS_2D];
  project_element(false, s_I, cube, &t, column);
}
