/* bp3.0/run-time-sized -- even_odd with degree and points as arguments: one kernel for all pairs
 *
 * degrees:  1..15 compiled once
 * points:   1..5
 * factors:  ekjicl
 * scratch:  lanes * (2 * nc * (nc*nc + 1) + 2 * nc*nc + nq*nq*nq)
 * flops:    (nq / 2 * 2 + nc / 2 * 2 * nq + nc % 2 * ((nq + 1) / 2 * 2 - 1) + nc / 2 * 2 + nq / 2 * 2 * nc + nq % 2 * ((nc + 1) / 2 * 2 - 1)) * (nq*nq + nc*nq + nc*nc) + nc*nc * (6 * (nc / 2 * 2 + nc / 2 * 2 * nc + nc % 2 * (nc / 2 * 2 - 1)) + 20 * nc)
 *
 * One element per SIMD lane. Contractions along k run over the whole group (second-level cache), everything
 * along i and j slab by slab (first-level cache). The gradient along k shares its memory with u and v. */
#include "lib/contract/run_time_lines.h"

enum { FACTORS = 7, LEAD = 768 /* vectors of factors, asked for ahead of their use */ };

/* The flux at the points of a slab: r, s, t hold the gradient, then the flux; w the values, then the
 * mass term. */
BP_INLINE void apply_metric(int points, real lambda, const bp_vector *g, bp_vector *w, bp_vector *r,
                            bp_vector *s, bp_vector *t)
{
  for (int n = 0; n < points; ++n, g += FACTORS) {
    r[n] = bp_metric(g, r[n], s + n, t + n);
    w[n] *= lambda * g[6];
  }
}

BP_KERNEL
{
  const int Q = a->nq, C = a->nc, Q2 = Q * Q, C2 = C * C, nodes = Q * Q2;
  const int plane = C2 + (C % 8 == 0); /* a line along k does not fall into one set of the cache */
  const int lines = 2 * (Q2 + C * Q + C2) + 6 * C2;
  const int lead_u = nodes < 256 ? 256 : nodes; /* vectors of u, likewise */
  real tables[4][BP_TABLE];
  const bp_halves in = bp_split(1, C, Q, a->I, Q, 1, tables[0]);
  const bp_halves out = bp_split(1, Q, C, a->I, 1, Q, tables[1]);
  const bp_halves d = bp_split(-1, C, C, a->D, C, 1, tables[2]);
  const bp_halves dt = bp_split(-1, C, C, a->D, 1, C, tables[3]);
  bp_vector *w = (bp_vector *)a->scratch, *t = w + C * plane, *r = t + C * plane, *s = r + C2;
  real *tail = (real *)(s + C2);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const real *factors = a->factors + e * FACTORS * C * C2;
    bp_range range = bp_group_begin(a, e, last, nodes, tail);
    bp_prefetcher ahead = {factors + BP_LANES * LEAD, range.u + BP_LANES * lead_u, .times = 1};
    bp_pace(&ahead, (FACTORS * C * C2 + lines - 1) / lines,
            Q > 2 ? (nodes + lines - 1) / lines : 0);
    bp_group_load(range.u, Q, Q2, Q2, t, NULL);
    bp_interpolate_lines(&in, bp_across(t, Q2), bp_across(w, plane), Q2, &ahead);
    for (int k = 0; k < C; ++k) {
      bp_interpolate_lines(&in, bp_along(w + k * plane, Q), bp_along(s, C), Q, &ahead);
      bp_interpolate_lines(&in, bp_across(s, C), bp_across(w + k * plane, C), C, &ahead);
    }
    bp_differentiate_lines(&d, bp_across(w, plane), bp_across(t, plane), C2, &ahead);
    for (int k = 0; k < C; ++k) {
      bp_vector *slab = w + k * plane;
      bp_differentiate_lines(&d, bp_along(slab, C), bp_along(r, C), C, &ahead);
      bp_differentiate_lines(&d, bp_across(slab, C), bp_across(s, C), C, &ahead);
      apply_metric(C2, a->lambda, (const bp_vector *)factors + FACTORS * k * C2, slab, r, s,
                   t + k * plane);
      bp_add_lines(&dt, bp_along(r, C), bp_along(slab, C), C, &ahead);
      bp_add_lines(&dt, bp_across(s, C), bp_across(slab, C), C, &ahead);
    }
    bp_add_lines(&dt, bp_across(t, plane), bp_across(w, plane), C2, &ahead);
    for (int k = 0; k < C; ++k) {
      bp_interpolate_lines(&out, bp_across(w + k * plane, C), bp_across(s, C), C, &ahead);
      bp_interpolate_lines(&out, bp_along(s, C), bp_along(w + k * plane, Q), Q, &ahead);
    }
    bp_interpolate_lines(&out, bp_across(w, plane), bp_across(t, Q2), Q2, &ahead);
    bp_group_store_any(t, nodes, tail, range.v);
    bp_group_end(a, e, last, nodes, range.v);
  }
  bp_fence();
}
