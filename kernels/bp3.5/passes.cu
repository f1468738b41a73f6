/* bp3.5/passes -- one direction after another through a shared cube, the rest in global memory
 *
 * degrees:  1..15
 * precision: single
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * cube)
 * scratch:  (elements + elements_per_block) * 2 * nq*nq*nq
 * shared traffic: real * nq*nq / elements_per_block + real * (9 * nq*nq*nq*nq + 3 * nq*nq*nq)
 *
 * Thread (a, b) owns a column in t. The gradient of the whole element is taken from u in global memory
 * and multiplied by the metric; its three components then take turns in the cube, where their
 * transposed derivatives are added to v. Two of them wait in global scratch. */
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  const int a = t.a, b = t.b;
  const real *ue = u + element_to_read(elements) * NODES_3D;
  real *s_D = shared, *cube = s_D + SLAB + threadIdx.z * CUBE;
  real *flux_s = scratch + (size_t)element_of_thread() * 2 * NODES_3D + b * BP_NQ + a;
  real *flux_t = flux_s + NODES_3D, *column = cube + b * ROW + a;
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k) {
    const real *g = t.factors + k * NODES_2D;
    real gradient[3];
    gradient_at(&d, a, b, k, ue + k * NODES_2D, BP_NQ, ue + b * BP_NQ + a, NODES_2D, gradient);
    apply_metric(g, NODES_3D, gradient);
    cube[k * SLAB + b * ROW + a] = gradient[0];
    flux_s[k * NODES_2D] = gradient[1];
    flux_t[k * NODES_2D] = gradient[2];
  }
  BP_BARRIER();

  if (t.stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    t.v[k * NODES_2D] =
        lambda * t.factors[6 * NODES_3D + k * NODES_2D] * ue[k * NODES_2D + b * BP_NQ + a] +
        dot(BP_NQ, s_D + a, ROW, cube + k * SLAB + b * ROW, 1);
  BP_BARRIER();
  move(BP_NQ, column, SLAB, flux_s, NODES_2D);
  BP_BARRIER();
  if (t.stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    t.v[k * NODES_2D] += dot(BP_NQ, s_D + b, ROW, cube + k * SLAB + a, ROW);
  BP_BARRIER();
  move(BP_NQ, column, SLAB, flux_t, NODES_2D);
  if (t.stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    t.v[k * NODES_2D] += dot(BP_NQ, s_D + k, ROW, column, SLAB);
}
