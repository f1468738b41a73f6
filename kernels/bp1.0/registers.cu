/* bp1.0/registers -- slice by slice through two shared slabs, the columns of u and v in registers
 *
 * degrees:  1..15
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (nc * i_row + elements_per_block * 2 * slab)
 * shared traffic: real * nc*nq / elements_per_block + real * slice_passes
 *
 * Thread (a, b) owns a column in t: it reads u once and writes v once. For each slice of points:
 * interpolate the column to it, then in r and s from slab to slab, scale, the same back, and add to
 * the column of the result. */
#include "lib/contract/slices.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_I = shared, *p = s_I + BP_NC * I_ROW + threadIdx.z * 2 * SLAB, *q = p + SLAB;
  real r_u[BP_NQ], r_v[BP_NQ];
  if (t.is_node)
    move(BP_NQ, r_u, 1, t.u, NODES_2D);
  clear(BP_NQ, r_v, 1);
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  BP_BARRIER();
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c) {
    const real value = slice_to_points(s_I, &t, c, r_u, 1, p, q);
    slice_to_nodes(s_I, &t, c, t.factors[c * POINTS_2D] * value, p, q, t.is_node, r_v, 1);
  }
  if (t.stores)
    move(BP_NQ, t.v, NODES_2D, r_v, 1);
}
