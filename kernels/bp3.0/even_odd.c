/* bp3.0/even_odd -- one element per SIMD lane, even-odd splitting, one slab at a time in L1
 *
 * degrees:  1..15
 * points:   1..5
 * precision: mixed single
 * factors:  ekjicl
 * geometry: stored affine trilinear quadratic
 * operands: I D factors u v scratch rule
 * scratch:  lanes * (2 * nc * (nc*nc + 1) + nc*nc + nq*nq*nq)
 * flops:    (nq / 2 * 2 + nc / 2 * 2 * nq + nc % 2 * ((nq + 1) / 2 * 2 - 1) + nc / 2 * 2 + nq / 2 * 2 * nc + nq % 2 * ((nc + 1) / 2 * 2 - 1)) * (nq*nq + nc*nq + nc*nc) + nc*nc * (6 * (nc / 2 * 2 + nc / 2 * 2 * nc + nc % 2 * (nc / 2 * 2 - 1)) + 20 * nc) + geometry_flops
 *
 * Contractions along k run over the whole group (second-level cache), everything along i and j slab
 * by slab (first-level cache): interpolation; then derivatives, metric and their transposes; then
 * projection. The gradient along k shares its memory with u and v. Factors are asked for a little
 * ahead of their use, the next group's u while the last contractions run. */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/contract/line_blocks.h"
#include "lib/operator/host_geometry.h"

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  C2 = C * C,
  NODES = Q * Q2,
  POINTS = C * C2,
  PLANE_Q = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  PLANE = C2 + (C % 8 == 0),
  /* Vectors of factors asked for per line of nodes. While a group's factors fit into the second-level
   * cache beside everything else, all contractions share the work, else those among the slabs that use
   * them, AHEAD_SLAB for each row of a slab. LEAD is what the last contractions have asked for when the next
   * group begins. */
  LINES_BEFORE = Q2 + C * (Q + C) + C2,
  AHEAD = 4096 / LINES_BEFORE < C / 2 ? 4096 / LINES_BEFORE : C / 2,
  LEAD = AHEAD * LINES_BEFORE + 512,
  AHEAD_SLAB = (7 * POINTS - 2 * AHEAD * LINES_BEFORE + C2 - 1) / C2,
  AHEAD_SLAB_U = (NODES + C2 - 1) / C2, /* of the next group's u, likewise */
  LEAD_U = NODES < 256 ? 256 : NODES,
  /* Per row and per line along j, as each takes its time. */
  AHEAD_J = AHEAD_SLAB / 6,
  AHEAD_ROW = AHEAD_SLAB - 2 * AHEAD_J,
  AHEAD_J_U = AHEAD_SLAB_U / 6,
  AHEAD_ROW_U = AHEAD_SLAB_U - 2 * AHEAD_J_U,
  /* Of each vector. Loads bind short vectors, and a request is a load. */
  REQUESTS = BP_LANES < 8 && !BP_BY_BLOCKS ? 1
             : BP_N <= 3                   ? 3
                                           : 2,
};

BP_KERNEL
{
  real tables[4][BP_TABLE];
  const bp_halves in = bp_split(1, C, Q, a->I, Q, 1, tables[0]);
  const bp_halves out = bp_split(1, Q, C, a->I, 1, Q, tables[1]);
  const bp_halves d = bp_split(-1, C, C, a->D, C, 1, tables[2]);
  const bp_halves dt = bp_split(-1, C, C, a->D, 1, C, tables[3]);
  const real lambda = (real)a->lambda;
  bp_vector *w = (bp_vector *)a->scratch, *t = w + C * PLANE, *u = t, *s = t + C * PLANE;
  real *tail = (real *)(s + C2);
  bp_vector slab[SLAB_FACTORS];
  if (BP_IS_STORED)
    bp_ahead(a->factors + first * 7 * POINTS, sizeof(bp_factors), LEAD, REQUESTS);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const stored *factors = a->factors + e * host_element_factors(7, POINTS);
    bp_range r = bp_group_begin(a, e, last, NODES, tail);
    bp_prefetcher ahead = {factors + BP_LANES * LEAD, r.u + BP_LANES * LEAD_U, .times = REQUESTS};
    bp_group_load(r.u, Q, Q2, PLANE_Q, u, NULL);
    bp_pace(&ahead, AHEAD, 0);
    bp_contract_blocks(in, u, PLANE_Q, 1, w, PLANE, 1, Q2, 0, &ahead);
    for (int k = 0; k < C; ++k) {
      bp_contract_rows_by_blocks(in, w + k * PLANE, s, Q, &ahead);
      bp_contract_blocks(in, s, C, 1, w + k * PLANE, C, 1, C, 0, &ahead);
    }
    bp_contract_blocks(d, w, PLANE, 1, t, PLANE, 1, C2, 0, &ahead);
    for (int k = 0; k < C; ++k) {
      bp_pace(&ahead, AHEAD_J, AHEAD_J_U);
      bp_contract_blocks(d, w + k * PLANE, C, 1, s, C, 1, C, 0, &ahead);
      bp_pace(&ahead, AHEAD_ROW, AHEAD_ROW_U);
      bp_metric_rows(d, dt, lambda, host_slab_factors(factors, a->rule, 7, k, 7, 1, slab),
                     w + k * PLANE, s, t + k * PLANE, &ahead);
      bp_pace(&ahead, AHEAD_J, AHEAD_J_U);
      bp_contract_blocks(dt, s, C, 1, w + k * PLANE, C, 1, C, 1, &ahead);
    }
    bp_pace(&ahead, AHEAD, 0);
    bp_contract_blocks(dt, t, PLANE, 1, w, PLANE, 1, C2, 1, &ahead);
    for (int k = 0; k < C; ++k) {
      bp_contract_blocks(out, w + k * PLANE, C, 1, s, C, 1, C, 0, &ahead);
      bp_contract_rows_by_blocks(out, s, w + k * PLANE, Q, &ahead);
    }
    bp_contract_blocks(out, w, PLANE, 1, u, PLANE_Q, 1, Q2, 0, &ahead);
    bp_group_store(u, Q, Q2, PLANE_Q, r.v, NULL);
    bp_group_end(a, e, last, NODES, r.v);
  }
  bp_fence();
}
