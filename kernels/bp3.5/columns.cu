/* bp3.5/columns -- columns of u and v in registers, three shared slabs, factors loaded before the barrier
 *
 * degrees:  1..15
 * precision: single
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * 3 * slab)
 * shared traffic: real * nq*nq / elements_per_block + real * (10 * nq*nq*nq*nq + 3 * nq*nq*nq)
 *
 * Thread (a, b) owns a column in t, of u and of the result, in registers. For each slice: u to a slab and
 * seven factors on their way while the block waits at a barrier, gradient, r and s components to two more slabs,
 * transposed derivatives. Shared memory no longer grows with the cube of the degree. */
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  real *s_D = shared, *s_u = s_D + SLAB + threadIdx.z * 3 * SLAB;
  real r_u[BP_NQ], r_v[BP_NQ];
  move(BP_NQ, r_u, 1, t.u, NODES_2D);
  clear(BP_NQ, r_v, 1);
  const ladder_derivative d = derivative_load(s_D, D);
  apply_slices(VALUES_BY_SLICE | FACTORS_FIRST, &d, &t, lambda, s_u, s_u + SLAB, r_u, 1, r_v, 1);
  if (t.stores)
    move(BP_NQ, t.v, NODES_2D, r_v, 1);
}
