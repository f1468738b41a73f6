/* bp1.0/slabs -- slice by slice through two shared slabs, u and v in global memory
 *
 * degrees:  1..15
 * precision: single
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (nc * i_row + elements_per_block * 2 * slab)
 * shared traffic: real * nc*nq / elements_per_block + real * slice_passes
 *
 * Thread (a, b) owns a column in t. For each slice of points: interpolate the column to it, then in r
 * and s from slab to slab, scale, the same back, and add to the column of the result. */
#include "lib/contract/slices.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_I = shared, *p = s_I + BP_NC * I_ROW + threadIdx.z * 2 * SLAB, *q = p + SLAB;
  if (t.stores)
    clear(BP_NQ, t.v, NODES_2D);
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  BP_BARRIER();
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c) {
    const real value = slice_to_points(s_I, &t, c, t.u, NODES_2D, p, q);
    slice_to_nodes(s_I, &t, c, t.factors[c * POINTS_2D] * value, p, q, t.stores, t.v, NODES_2D);
  }
}
