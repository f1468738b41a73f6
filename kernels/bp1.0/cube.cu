/* bp1.0/cube -- the whole element in one shared cube, each contraction a pencil in registers
 *
 * degrees:  1..15
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nc, nc, elements_per_block; shared 8 * (nc * (nq + (pad && nq % 8 == 0)) + elements_per_block * nc * nc * (nc + (pad && nc % 8 == 0)))
 * shared traffic: 8 * nc*nq / elements_per_block + 8 * (2 * nq*nc * (nq*nq + nq*nc + nc*nc) + 4 * nq*nq*nq + 4 * nq*nq*nc + 4 * nq*nc*nc)
 *
 * Thread (a, b) owns a pencil in r, s and t in turn; six barriers per element instead of four per
 * slice. cube.h has the passes. */
#include "lib/contract/cube.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_I, shared, BP_ROW(BP_NQ));
  BP_CUBE_AT(cube, shared + BP_NC * BP_ROW(BP_NQ) + threadIdx.z * BP_CUBE, BP_NC, BP_ROW(BP_NC));
  const size_t e = element_to_read(elements);
  const double *we = factors + e * BP_POINTS + threadIdx.y * BP_NC + threadIdx.x;
  double column[BP_NC];
  load_matrix(*s_I, BP_ROW(BP_NQ), I, BP_NC, BP_NQ);
  interpolate_element(false, s_I, cube, u + e * BP_NODES, column);
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    column[c] *= we[c * BP_NC * BP_NC];
  project_element(false, s_I, cube, column, element_of_thread() < elements, v + e * BP_NODES);
}
