/* bp3.0/registers -- slice by slice through three shared slabs, all columns in registers
 *
 * degrees:  1..15
 * points:   1..5
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (nc * i_row + slab + elements_per_block * 3 * slab)
 * shared traffic: real * (nq*nc + nc*nc) / elements_per_block + real * (slice_passes + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * Thread (a, b) owns a column in t, of u, of the values at the points, and of the results there and at
 * the nodes. Three loops over slices of points: interpolate u to them; gradient, metric, transposed
 * gradient; project. */
#include "lib/contract/slices.h"
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_I = shared, *s_D = s_I + BP_NC * I_ROW;
  real *s_u = s_D + SLAB + threadIdx.z * 3 * SLAB, *s_r = s_u + SLAB;
  real r_u[BP_NQ], r_v[BP_NQ], value[BP_NC], sum[BP_NC];
  if (t.is_node)
    move(BP_NQ, r_u, 1, t.u, NODES_2D);
  clear(BP_NQ, r_v, 1);
  clear(BP_NC, sum, 1);
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    value[c] = slice_to_points(s_I, &t, c, r_u, 1, s_u, s_r);
  apply_slices(VALUES_BY_SLICE, &d, &t, lambda, s_u, s_r, value, 1, sum, 1);
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    slice_to_nodes(s_I, &t, c, sum[c], s_u, s_r, t.is_node, r_v, 1);
  if (t.stores)
    move(BP_NQ, t.v, NODES_2D, r_v, 1);
}
