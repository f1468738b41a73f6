/* bp3.5/slices -- one loop over slices does all directions; shared cube and global scratch
 *
 * degrees:  1..15
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * cube)
 * scratch:  (elements + elements_per_block) * 2 * nq*nq*nq
 * shared traffic: real * nq*nq / elements_per_block + real * (7 * nq*nq*nq*nq + nq*nq*nq)
 *
 * Thread (a, b) owns a column in t. For each slice: gradient from u in global memory, metric, the r
 * component to its slice of the cube and the other two to global scratch, then the transposed
 * derivatives in r and s of that slice. Those in t, which need the whole column, come at the end. */
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  const int a = t.a, b = t.b;
  const real *ue = u + element_to_read(elements) * NODES_3D;
  real *s_D = shared, *cube = s_D + SLAB + threadIdx.z * CUBE;
  real *flux_s = scratch + (size_t)element_of_thread() * 2 * NODES_3D;
  real *flux_t = flux_s + NODES_3D + b * BP_NQ + a;
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k) {
    const real *g = t.factors + k * NODES_2D;
    real gradient[3];
    gradient_at(&d, a, b, k, ue + k * NODES_2D, BP_NQ, ue + b * BP_NQ + a, NODES_2D, gradient);
    apply_metric(g, NODES_3D, gradient);
    cube[k * SLAB + b * ROW + a] = gradient[0];
    flux_s[k * NODES_2D + b * BP_NQ + a] = gradient[1];
    flux_t[k * NODES_2D] = gradient[2];
    BP_BARRIER();
    if (t.stores)
      t.v[k * NODES_2D] = lambda * g[6 * NODES_3D] * ue[k * NODES_2D + b * BP_NQ + a] +
                          dot(BP_NQ, s_D + a, ROW, cube + k * SLAB + b * ROW, 1) +
                          dot(BP_NQ, s_D + b, ROW, flux_s + k * NODES_2D + a, BP_NQ);
  }
  if (t.stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    t.v[k * NODES_2D] += dot(BP_NQ, s_D + k, ROW, flux_t, NODES_2D);
}
