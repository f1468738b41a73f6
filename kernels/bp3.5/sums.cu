/* bp3.5/sums -- u in a shared cube, the column of the result in registers: no global scratch
 *
 * degrees:  1..15
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * (nq + 2) * slab)
 * shared traffic: real * nq*nq / elements_per_block + real * (11 * nq*nq*nq*nq + 4 * nq*nq*nq)
 *
 * Thread (a, b) owns a column in t. As slabs-cube, but each slice's t component is spread at once over
 * the column of the result, which stays in registers until it is complete. */
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_D = shared, *s_u = s_D + SLAB + threadIdx.z * (BP_NQ + 2) * SLAB;
  real *column = s_u + t.b * ROW + t.a;
  real r_v[BP_NQ];
  clear(BP_NQ, r_v, 1);
  const ladder_derivative d = derivative_load(s_D, D);
  move(BP_NQ, column, SLAB, t.u, NODES_2D);
  BP_BARRIER();
  apply_slices(0, &d, &t, lambda, s_u, s_u + CUBE, column, SLAB, r_v, 1);
  if (t.stores)
    move(BP_NQ, t.v, NODES_2D, r_v, 1);
}
