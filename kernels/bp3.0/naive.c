/* bp3.0/naive -- the pseudo-code as it stands: twelve contractions and the metric
 *
 * degrees:  1..15 compiled once
 * precision: mixed single
 * points:   1..5
 * scratch:  5 * nc*nc*nc
 *
 * One element at a time; every contraction is four loops over arrays of run-time size. */
#include "abi/cpu.h"

/* to[..][b][..] = sum_a m[b][a] from[..][a][..], or with m transposed; the contracted index has
 * `inner` values inside it and `outer` outside. */
static void contract(const real *m, int row_step, int column_step, int from_count, int to_count,
                     int outer, int inner, const real *from, real *to)
{
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < to_count; ++b)
      for (int n = 0; n < inner; ++n) {
        real sum = 0;
        for (int a = 0; a < from_count; ++a)
          sum += m[b * row_step + a * column_step] * from[(o * from_count + a) * inner + n];
        to[(o * to_count + b) * inner + n] = sum;
      }
}

BP_KERNEL
{
  const int nq = a->nq, nc = a->nc, points = nc * nc * nc, nodes = nq * nq * nq;
  real *w = a->scratch, *t = w + points, *gr = t + points, *gs = gr + points, *gt = gs + points;
  for (int64_t e = first; e < last; ++e) {
    const stored *g = a->factors + e * 7 * points;
    contract(a->I, nq, 1, nq, nc, nq * nq, 1, a->u + e * nodes, w);
    contract(a->I, nq, 1, nq, nc, nq, nc, w, t);
    contract(a->I, nq, 1, nq, nc, 1, nc * nc, t, w);
    contract(a->D, nc, 1, nc, nc, nc * nc, 1, w, gr);
    contract(a->D, nc, 1, nc, nc, nc, nc, w, gs);
    contract(a->D, nc, 1, nc, nc, 1, nc * nc, w, gt);
    for (int n = 0; n < points; ++n) {
      const real r = gr[n], s = gs[n], p = gt[n];
      gr[n] = g[n] * r + g[points + n] * s + g[2 * points + n] * p;
      gs[n] = g[points + n] * r + g[3 * points + n] * s + g[4 * points + n] * p;
      gt[n] = g[2 * points + n] * r + g[4 * points + n] * s + g[5 * points + n] * p;
      w[n] *= (real)a->lambda * g[6 * points + n];
    }
    contract(a->D, 1, nc, nc, nc, nc * nc, 1, gr, t);
    for (int n = 0; n < points; ++n)
      w[n] += t[n];
    contract(a->D, 1, nc, nc, nc, nc, nc, gs, t);
    for (int n = 0; n < points; ++n)
      w[n] += t[n];
    contract(a->D, 1, nc, nc, nc, 1, nc * nc, gt, t);
    for (int n = 0; n < points; ++n)
      w[n] += t[n];
    contract(a->I, 1, nq, nc, nq, 1, nc * nc, w, t);
    contract(a->I, 1, nq, nc, nq, nq, nc, t, w);
    contract(a->I, 1, nq, nc, nq, nq * nq, 1, w, a->v + e * nodes);
  }
}
