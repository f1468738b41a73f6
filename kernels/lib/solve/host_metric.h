/* host_metric.h -- the metric along rows, with factors[k][c][j][i], six of them or, with a mass term,
 * seven. */
#ifndef BP_KERNELS_SOLVE_HOST_METRIC_H
#define BP_KERNELS_SOLVE_HOST_METRIC_H

#include "lib/contract/even_odd.h"

/* The gradient at one point times the metric; returns the first component. `step`: from factor to
 * factor. */
BP_INLINE bp_vector host_flux(const bp_factors *g, int step, bp_vector r, bp_vector *s,
                              bp_vector *t)
{
  const bp_vector us = *s, ut = *t;
  const bp_vector rs = bp_load_factor(g + step), rt = bp_load_factor(g + 2 * step),
                  st = bp_load_factor(g + 4 * step);
  *s = rs * r + BP_FACTOR(g[3 * step]) * us + st * ut;
  *t = rt * r + st * us + BP_FACTOR(g[5 * step]) * ut;
  return BP_FACTOR(g[0]) * r + rs * us + rt * ut;
}

BP_INLINE bp_vector mass_factor(real lambda, const bp_factors *g)
{
  bp_vector w = {0};
  if (lambda > 0)
    w = lambda * BP_FACTOR(*g);
  return w;
}

/* One row: the derivative along it, the metric, the derivative's transpose and the mass term. s, t:
 * derivatives along the other directions on entry, what their transposes act on on return; u: values,
 * then the result. */
BP_INLINE void host_metric_row(bp_halves d, bp_halves transposed, real lambda, const bp_factors *g,
                               int step, bp_vector *u, bp_vector *s, bp_vector *t,
                               bp_prefetcher *ahead)
{
  const int n = d.from, last = n - 1;
  bp_folded values, flux;
  bp_prefetch_part(ahead, 0, 1);
  bp_fold_line(&values, n, u, 1);
#pragma GCC unroll 8
  for (int i = 0; i < n / 2; ++i) {
    bp_vector left, right;
    bp_unfold(d, &values, i, &left, &right);
    left = host_flux(g + i, step, left, s + i, t + i);
    right = host_flux(g + last - i, step, right, s + last - i, t + last - i);
    bp_fold(&flux, i, left, right);
  }
  if (n % 2)
    flux.even[n / 2] = host_flux(g + n / 2, step, bp_middle(d, &values), s + n / 2, t + n / 2);
  for (int i = 0; i < n; ++i)
    u[i] *= mass_factor(lambda, g + 6 * step + i);
#pragma GCC unroll 8
  for (int i = 0; i < n / 2; ++i) {
    bp_vector left, right;
    bp_unfold(transposed, &flux, i, &left, &right);
    u[i] += left;
    u[last - i] += right;
  }
  if (n % 2)
    u[n / 2] += bp_middle(transposed, &flux);
}

/* A slab of points: derivatives along j, rows, and the former transposed. */
BP_INLINE void host_slab(bp_halves d, bp_halves transposed, real lambda, const bp_factors *g,
                         bp_vector *u, bp_vector *s, bp_vector *t, bp_prefetcher *ahead)
{
  const int n = d.from;
  bp_contract_lines(d, u, n, s, n, n, ahead);
  for (int j = 0; j < n; ++j)
    host_metric_row(d, transposed, lambda, g + j * n, n * n, u + j * n, s + j * n, t + j * n,
                    ahead);
  bp_contract_add_lines(transposed, s, n, u, n, n, ahead);
}

#endif
