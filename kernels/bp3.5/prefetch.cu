/* bp3.5/prefetch -- u in a shared cube and a register column, the factors of a slice loaded ahead
 *
 * degrees:  1..15
 * precision: single
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * (nq + 2) * slab)
 * shared traffic: real * nq*nq / elements_per_block + real * (10 * nq*nq*nq*nq + 3 * nq*nq*nq)
 *
 * Thread (a, b) owns a column in t, of u and of the result, in registers. For each slice: seven factors
 * to registers, gradient in r and s from the cube and in t from the column, two slabs, transposed
 * derivatives. */
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_D = shared, *s_u = s_D + SLAB + threadIdx.z * (BP_NQ + 2) * SLAB;
  real *column = s_u + t.b * ROW + t.a;
  real r_u[BP_NQ], r_v[BP_NQ];
  move(BP_NQ, r_u, 1, t.u, NODES_2D);
  clear(BP_NQ, r_v, 1);
  const ladder_derivative d = derivative_load(s_D, D);
  move(BP_NQ, column, SLAB, r_u, 1);
  BP_BARRIER();
  apply_slices(FACTORS_FIRST, &d, &t, lambda, s_u, s_u + CUBE, r_u, 1, r_v, 1);
  if (t.stores)
    move(BP_NQ, t.v, NODES_2D, r_v, 1);
}
