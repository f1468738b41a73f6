/* bp3.0/slabs -- slice by slice through three shared slabs, all columns in global memory
 *
 * degrees:  1..15
 * points:   1..5
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * launch:   apply; threads nc, nc, elements_per_block; shared real * (nc * i_row + slab + elements_per_block * 3 * slab)
 * scratch:  (elements + elements_per_block) * 2 * nc*nc*nc
 * shared traffic: real * (nq*nc + nc*nc) / elements_per_block + real * (slice_passes + 10 * nc*nc*nc*nc + 3 * nc*nc*nc)
 *
 * Thread (a, b) owns a column in t. Three loops over slices of points: interpolate u to them; gradient,
 * metric, transposed gradient; project to v. Columns between them lie in global scratch. */
#include "lib/contract/slices.h"
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_I = shared, *s_D = s_I + BP_NC * I_ROW;
  real *s_u = s_D + SLAB + threadIdx.z * 3 * SLAB, *s_r = s_u + SLAB;
  real *value = scratch + (size_t)element_of_thread() * 2 * POINTS_3D + t.b * BP_NC + t.a;
  real *sum = value + POINTS_3D;
  if (t.stores)
    clear(BP_NQ, t.v, NODES_2D);
  clear(BP_NC, sum, POINTS_2D);
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    value[c * POINTS_2D] = slice_to_points(s_I, &t, c, t.u, NODES_2D, s_u, s_r);
  apply_slices(VALUES_BY_SLICE, &d, &t, lambda, s_u, s_r, value, POINTS_2D, sum, POINTS_2D);
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    slice_to_nodes(s_I, &t, c, sum[c * POINTS_2D], s_u, s_r, t.stores, t.v, NODES_2D);
}
