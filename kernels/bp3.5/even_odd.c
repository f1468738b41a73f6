/* bp3.5/even_odd -- one element per SIMD lane, even-odd splitting, one slab at a time in L1
 *
 * degrees:  1..15
 * factors:  ekjicl
 * scratch:  lanes * (2 * nq * (nq*nq + 1) + nq*nq + nq*nq*nq)
 *
 * The derivative along k runs over the whole group (second-level cache). Then one slab at a time
 * stays in the first-level cache: derivatives along j, rows along i with the metric in registers,
 * and both transposed. The derivative along k, transposed, ends the group. Factors are read in that
 * order and asked for ahead all the while, so that memory never waits for the arithmetic. */
#include "simd.h"

/* Where the arrays that come from memory are asked for. */
typedef struct {
  const double *factors, *u;
} cursors;

enum {
  Q = BP_NQ,
  Q2 = Q * Q,
  NODES = Q * Q2,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  /* Vectors of factors asked for per line of nodes: within a slab, and for the lines along k, which come
   * before and after the slabs and must not fill the second-level cache. LEAD is what those after have
   * asked for when the next group begins. */
  AHEAD_K = 2048 / Q2 < Q ? 2048 / Q2 : Q,
  AHEAD_SLAB = (7 * Q - 2 * AHEAD_K + 3) / 4,
  LEAD = AHEAD_K * Q2 + 512,
  AHEAD_U = (Q + 3) / 4, /* of the next group's u, per line within a slab */
  LEAD_U = NODES < 256 ? 256 : NODES,
  REQUESTS = 3, /* of each vector */
};

BP_INLINE void derive(bp_halves d, const bp_vector *from, bp_vector *to, int step, int count,
                      cursors *ahead, int factors, int u)
{
  for (int n = 0; n < count; ++n) {
    bp_ahead(&ahead->factors, factors, REQUESTS);
    bp_ahead(&ahead->u, u, REQUESTS);
    bp_contract(d, from + n, step, to + n, step);
  }
}

BP_INLINE void derive_add(bp_halves d, const bp_vector *from, bp_vector *to, int step, int count,
                          cursors *ahead, int factors, int u)
{
  for (int n = 0; n < count; ++n) {
    bp_ahead(&ahead->factors, factors, REQUESTS);
    bp_ahead(&ahead->u, u, REQUESTS);
    bp_contract_add(d, from + n, step, to + n, step);
  }
}

/* s, t: derivatives along j and k on entry, what their transposes act on on return; u: v so far. */
BP_INLINE void rows(bp_halves d, bp_halves dt, double lambda, const bp_vector *g, bp_vector *u,
                    bp_vector *s, bp_vector *t, cursors *ahead)
{
  for (int j = 0; j < Q; ++j) {
    bp_ahead(&ahead->factors, 2 * AHEAD_SLAB, REQUESTS);
    bp_ahead(&ahead->u, 2 * AHEAD_U, REQUESTS);
    bp_metric_row(d, dt, lambda, g + 7 * Q * j, u + Q * j, s + Q * j, t + Q * j);
  }
}

BP_KERNEL
{
  double tables[2][BP_TABLE];
  const bp_halves d = bp_split(-1, Q, Q, a->D, Q, 1, tables[0]);
  const bp_halves dt = bp_split(-1, Q, Q, a->D, 1, Q, tables[1]);
  const double lambda = a->lambda;
  bp_vector *u = (bp_vector *)a->scratch, *t = u + Q * PLANE, *s = t + Q * PLANE;
  double *tail = (double *)(s + Q2);
  const double *start = a->factors + first * 7 * NODES;
  bp_ahead(&start, LEAD, REQUESTS);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const double *factors = a->factors + e * 7 * NODES;
    const bp_vector *g = (const bp_vector *)factors;
    bp_range r = bp_group_begin(a, e, last, NODES, tail);
    cursors ahead = {factors + BP_LANES * LEAD, r.u + BP_LANES * LEAD_U};
    bp_group_load(r.u, Q, Q2, PLANE, u);
    derive(d, u, t, PLANE, Q2, &ahead, AHEAD_K, 0);
    for (int k = 0; k < Q; ++k) {
      derive(d, u + k * PLANE, s, Q, Q, &ahead, AHEAD_SLAB, AHEAD_U);
      rows(d, dt, lambda, g + 7 * k * Q2, u + k * PLANE, s, t + k * PLANE, &ahead);
      derive_add(dt, s, u + k * PLANE, Q, Q, &ahead, AHEAD_SLAB, AHEAD_U);
    }
    derive_add(dt, t, u, PLANE, Q2, &ahead, AHEAD_K, 0);
    bp_group_store(u, Q, Q2, PLANE, r.v);
    bp_group_end(a, e, last, NODES, r.v);
  }
  bp_fence();
}
