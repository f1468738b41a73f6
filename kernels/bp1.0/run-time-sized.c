/* bp1.0/run-time-sized -- even_odd with degree and points as arguments: one kernel for all pairs
 *
 * degrees:  1..15 compiled once
 * points:   1..5
 * factors:  ekjicl
 * scratch:  lanes * (nc * (nq*nq + 1) + nq*nc + nc*nc + 2 * nq*nq*nq)
 * flops:    (nq / 2 * 2 + nc / 2 * 2 * nq + nc % 2 * ((nq + 1) / 2 * 2 - 1) + nc / 2 * 2 + nq / 2 * 2 * nc + nq % 2 * ((nc + 1) / 2 * 2 - 1)) * (nq*nq + nc*nq + nc*nc) + nc*nc*nc
 *
 * One element per SIMD lane. Interpolation along k runs over the whole group (second-level cache), everything
 * along i and j slab by slab (first-level cache). */
#include "lib/contract/run_time_lines.h"

enum { LEAD = 512 /* vectors of factors, asked for ahead of their use */ };

BP_KERNEL
{
  const int Q = a->nq, C = a->nc, Q2 = Q * Q, C2 = C * C, nodes = Q * Q2;
  const int plane = Q2 + (Q % 8 == 0); /* a line along k does not fall into one set of the cache */
  const int lines = 2 * (Q2 + C * Q + C2);
  const int lead_u = nodes < 256 ? 256 : nodes; /* vectors of u, likewise */
  real tables[2][BP_TABLE];
  const bp_halves in = bp_split(1, C, Q, a->I, Q, 1, tables[0]);
  const bp_halves out = bp_split(1, Q, C, a->I, 1, Q, tables[1]);
  bp_vector *u = (bp_vector *)a->scratch, *x = u + nodes, *rows = x + C * plane;
  bp_vector *points = rows + Q * C;
  real *tail = (real *)(points + C2);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const real *factors = a->factors + e * C * C2;
    bp_range range = bp_group_begin(a, e, last, nodes, tail);
    bp_prefetcher ahead = {factors + BP_LANES * LEAD, range.u + BP_LANES * lead_u, .times = 1};
    bp_pace(&ahead, (C * C2 + lines - 1) / lines, Q > 2 ? (nodes + lines - 1) / lines : 0);
    bp_group_load(range.u, Q, Q2, Q2, u, NULL);
    bp_interpolate_lines(&in, bp_across(u, Q2), bp_across(x, plane), Q2, &ahead);
    for (int k = 0; k < C; ++k) {
      const bp_vector *w = (const bp_vector *)factors + k * C2;
      bp_interpolate_lines(&in, bp_along(x + k * plane, Q), bp_along(rows, C), Q, &ahead);
      bp_interpolate_lines(&in, bp_across(rows, C), bp_across(points, C), C, &ahead);
      for (int n = 0; n < C2; ++n)
        points[n] *= w[n];
      bp_interpolate_lines(&out, bp_across(points, C), bp_across(rows, C), C, &ahead);
      bp_interpolate_lines(&out, bp_along(rows, C), bp_along(x + k * plane, Q), Q, &ahead);
    }
    bp_interpolate_lines(&out, bp_across(x, plane), bp_across(u, Q2), Q2, &ahead);
    bp_group_store_any(u, nodes, tail, range.v);
    bp_group_end(a, e, last, nodes, range.v);
  }
  bp_fence();
}
