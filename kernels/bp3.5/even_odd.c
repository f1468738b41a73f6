/* bp3.5/even_odd -- one element per SIMD lane, even-odd splitting, one slab at a time in L1
 *
 * degrees:  1..15
 * precision: mixed single
 * factors:  ekjicl
 * geometry: stored affine trilinear quadratic
 * operands: I D factors u v scratch rule
 * scratch:  lanes * (2 * nq * (nq*nq + 1) + nq*nq + nq*nq*nq)
 * flops:    nq*nq * (6 * (nq / 2 * 2 + nq / 2 * 2 * nq + nq % 2 * (nq / 2 * 2 - 1)) + 20 * nq) + geometry_flops
 *
 * The derivative along k runs over the whole group (second-level cache). Then one slab at a time
 * stays in the first-level cache: derivatives along j, rows along i with the metric in registers,
 * and both transposed. The derivative along k, transposed, ends the group. Factors are read in that
 * order and asked for ahead all the while, so that memory never waits for the arithmetic. */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/contract/line_blocks.h"
#include "lib/operator/host_geometry.h"

enum {
  Q = BP_NQ,
  Q2 = Q * Q,
  NODES = Q * Q2,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  /* Vectors of factors asked for per BP_LANES nodes that come or go, per line along k, which come before
   * and after the slabs and must not fill the second-level cache, per line along j and per row: each
   * phase's part of the time, since a core whose queues are full drops requests. LEAD is what those
   * after the slabs have asked for when the next group begins. */
  AHEAD_GROUP = BP_N <= 8 ? BP_LANES / 2 : BP_LANES / 4,
  PACE_K = BP_N <= 8 ? 3 * Q / 4 : Q,
  AHEAD_K = 2048 / Q2 < PACE_K ? 2048 / Q2 : PACE_K,
  AHEAD_SLAB = 7 * Q - 2 * AHEAD_K - AHEAD_GROUP * 2 * Q / BP_LANES,
  AHEAD_J = AHEAD_SLAB / 6,
  AHEAD_ROW = AHEAD_SLAB - 2 * AHEAD_J,
  LEAD = AHEAD_K * Q2 + AHEAD_GROUP * NODES / BP_LANES + 512,
  /* Of the next group's u, likewise. */
  AHEAD_GROUP_U = 1,
  AHEAD_SLAB_U = Q - 2 * Q / BP_LANES,
  AHEAD_J_U = AHEAD_SLAB_U / 6,
  AHEAD_ROW_U = AHEAD_SLAB_U - 2 * AHEAD_J_U,
  /* Where a group's v and all that the slabs need fit into the second-level cache, v is stored into it:
   * cache lines prefetched per line along j and per row. */
  CACHED = BP_LANES == 4 && BP_N >= 9 && BP_N <= 12,
  AHEAD_J_V = CACHED ? Q / 6 : 0,
  AHEAD_ROW_V = CACHED ? (Q + 1) / 2 - 2 * AHEAD_J_V : 0,
  LEAD_U = AHEAD_GROUP_U * NODES / BP_LANES + (NODES < 256 ? 256 : NODES),
  REQUESTS = BP_N <= 3                  ? 4
             : BP_N > 4 && BP_LANES < 8 ? 2
                                        : 3, /* of each vector */
};

BP_KERNEL
{
  real tables[2][BP_TABLE];
  const bp_halves d = bp_split(-1, Q, Q, a->D, Q, 1, tables[0]);
  const bp_halves dt = bp_split(-1, Q, Q, a->D, 1, Q, tables[1]);
  const real lambda = (real)a->lambda;
  bp_vector *u = (bp_vector *)a->scratch, *t = u + Q * PLANE, *s = t + Q * PLANE;
  real *tail = (real *)(s + Q2);
  bp_vector slab[SLAB_FACTORS];
  if (BP_IS_STORED)
    bp_ahead(a->factors + first * 7 * NODES, sizeof(bp_factors), LEAD, REQUESTS);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const stored *factors = a->factors + e * host_element_factors(7, NODES);
    bp_range r = bp_group_begin(a, e, last, NODES, tail);
    bp_prefetcher ahead = {factors + BP_LANES * LEAD, r.u + BP_LANES * LEAD_U, .times = REQUESTS,
                           .v = CACHED ? r.v : NULL};
    bp_pace(&ahead, AHEAD_GROUP, AHEAD_GROUP_U);
    bp_group_load(r.u, Q, Q2, PLANE, u, &ahead);
    bp_pace(&ahead, AHEAD_K, 0);
    bp_contract_blocks(d, u, PLANE, 1, t, PLANE, 1, Q2, 0, &ahead);
    for (int k = 0; k < Q; ++k) {
      bp_pace(&ahead, AHEAD_J, AHEAD_J_U);
      ahead.v_lines = AHEAD_J_V;
      bp_contract_blocks(d, u + k * PLANE, Q, 1, s, Q, 1, Q, 0, &ahead);
      bp_pace(&ahead, AHEAD_ROW, AHEAD_ROW_U);
      ahead.v_lines = AHEAD_ROW_V;
      bp_metric_rows(d, dt, lambda, host_slab_factors(factors, a->rule, 7, k, 7, 1, slab),
                     u + k * PLANE, s, t + k * PLANE, &ahead);
      bp_pace(&ahead, AHEAD_J, AHEAD_J_U);
      ahead.v_lines = AHEAD_J_V;
      bp_contract_blocks(dt, s, Q, 1, u + k * PLANE, Q, 1, Q, 1, &ahead);
    }
    bp_pace(&ahead, AHEAD_K, 0);
    ahead.v_lines = 0;
    bp_contract_blocks(dt, t, PLANE, 1, u, PLANE, 1, Q2, 1, &ahead);
    bp_pace(&ahead, AHEAD_GROUP, AHEAD_GROUP_U);
    bp_group_store_out(u, Q, Q2, PLANE, r.v, CACHED, &ahead);
    bp_group_end(a, e, last, NODES, r.v);
  }
  bp_fence();
}
