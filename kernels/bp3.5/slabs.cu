/* bp3.5/slabs -- slice by slice through two shared slabs, the t component in global scratch
 *
 * degrees:  1..15
 * precision: single
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * 2 * slab)
 * scratch:  (elements + elements_per_block) * nq*nq*nq
 * shared traffic: real * nq*nq / elements_per_block + real * (8 * nq*nq*nq*nq + 2 * nq*nq*nq)
 *
 * Thread (a, b) owns a column in t. For each slice: gradient from u in global memory, metric, the r and
 * s components to a slab each, their transposed derivatives. The t component goes to global scratch
 * and its transposed derivatives come at the end. */
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  const int here = t.b * ROW + t.a;
  const real *ue = u + element_to_read(elements) * NODES_3D;
  real *s_D = shared, *s_r = s_D + SLAB + threadIdx.z * 2 * SLAB, *s_s = s_r + SLAB;
  real *flux_t = scratch + (size_t)element_of_thread() * NODES_3D + t.b * BP_NQ + t.a;
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k) {
    const real *g = t.factors + k * NODES_2D;
    real gradient[3];
    gradient_at(&d, t.a, t.b, k, ue + k * NODES_2D, BP_NQ, ue + t.b * BP_NQ + t.a, NODES_2D,
                gradient);
    apply_metric(g, NODES_3D, gradient);
    s_r[here] = gradient[0];
    s_s[here] = gradient[1];
    flux_t[k * NODES_2D] = gradient[2];
    BP_BARRIER();
    if (t.stores)
      t.v[k * NODES_2D] =
          add_transposed(&d, lambda * g[6 * NODES_3D] * ue[k * NODES_2D + t.b * BP_NQ + t.a], t.a,
                         t.b, s_r, s_s, ROW);
    BP_BARRIER();
  }
  if (t.stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    t.v[k * NODES_2D] += dot(BP_NQ, s_D + k, ROW, flux_t, NODES_2D);
}
