/* bp3.0/folded -- one element per SIMD lane, lines along i and j are sums and differences all the way
 *
 * degrees:  10..15
 * factors:  ekjicl
 * scratch:  lanes * (2 * nc * (nc*nc + 1) + 2 * nc*nc + 4 * nc + nq*nq*nq)
 * flops:    ((nc + 1) / 2 * (2 * ((nq + 1) / 2) - 1) + nc / 2 * (2 * (nq / 2) - 1) + (nq + 1) / 2 * (2 * ((nc + 1) / 2) - 1) + nq / 2 * (2 * (nc / 2) - 1)) * (nq*nq + nc*nq + nc*nc) + nq*nq * (6 * (nq / 2 * 2) + 2 * (nc / 2 * 2)) + nc*nc * (6 * (nc / 2 * (2 * ((nc + 1) / 2) - 1) + (nc + 1) / 2 * (2 * (nc / 2) - 1)) + 20 * (nc / 2 * 2) + 20 * nc)
 *
 * For 16 registers, with lines that are long: as in bp1.0/folded.c, rows and lines along j need nothing but
 * products. The metric takes points that mirror each other along i and j together: it unfolds their gradient
 * and value and folds what comes of them. Otherwise the phases and what is asked for ahead are those of
 * even_odd.c. */
#include "lib/contract/folded_lines.h"
#include "lib/operator/bp30_groups.h"

enum {
  AHEAD_LINE = (AHEAD_SLAB + 3) / 4,
  AHEAD_LINE_U = (AHEAD_SLAB_U + 3) / 4,
  REQUESTS = 2, /* of each vector */
};

/* Values at points that mirror each other. */
BP_INLINE void take(int points, const int at[], const bp_vector *from, bp_vector x[])
{
#pragma GCC unroll 4
  for (int n = 0; n < points; ++n)
    x[n] = from[at[n]];
  bp_fold_quad(points, x);
}

BP_INLINE void give(int points, const int at[], bp_vector x[], bp_vector *to)
{
  bp_fold_quad(points, x);
#pragma GCC unroll 4
  for (int n = 0; n < points; ++n)
    to[at[n]] = x[n];
}

/* Points that mirror each other: the gradient and the value unfolded, the metric, and folded again. */
BP_INLINE void metric_points(int points, const int at[], double lambda, const bp_vector *g,
                             bp_vector *u, bp_vector *r)
{
  bp_vector ur[4], us[4], ut[4], value[4];
  take(points, at, r, ur);
  take(points, at, r + C2, us);
  take(points, at, u + C * PLANE, ut);
#pragma GCC unroll 4
  for (int n = 0; n < points; ++n) {
    ur[n] = bp_metric(g + G * at[n], ur[n], us + n, ut + n);
  }
  give(points, at, ur, r);
  give(points, at, us, r + C2);
  give(points, at, ut, u + C * PLANE);
  take(points, at, u, value);
#pragma GCC unroll 4
  for (int n = 0; n < points; ++n)
    value[n] *= lambda * g[G * at[n] + 6];
  give(points, at, value, u);
}

BP_INLINE void metric_slab(double lambda, const bp_vector *g, bp_vector *u, bp_vector *r)
{
  enum { HALF = C / 2, LAST = C - 1 };
  for (int j = 0; j < HALF; ++j) {
    const int front = j * C, back = (LAST - j) * C;
#pragma GCC unroll 1
    for (int i = 0; i < HALF; ++i)
      metric_points(4, (int[]){front + i, front + LAST - i, back + i, back + LAST - i}, lambda, g,
                    u, r);
    if (C % 2)
      metric_points(2, (int[]){front + HALF, back + HALF}, lambda, g, u, r);
  }
  if (C % 2) {
#pragma GCC unroll 1
    for (int i = 0; i < HALF; ++i)
      metric_points(2, (int[]){HALF * C + i, HALF * C + LAST - i}, lambda, g, u, r);
    metric_points(1, (int[]){HALF * C + HALF}, lambda, g, u, r);
  }
}

/* The derivative of lines that are folded and stay so: of halves of sums and differences, transposed of
 * sums and differences; only the middle value is the same in both. */
BP_INLINE bp_halves split_folded(bp_halves m, int transposed, double *table)
{
  for (int b = 0; b < (m.to + 1) / 2; ++b)
    for (int a = 0; a < m.from; ++a) {
      const int middle = transposed ? b == C / 2 : a == C / 2;
      table[b * m.from + a] = m.table[b * m.from + a] * (C % 2 && middle ? 1 : 2);
    }
  return (bp_halves){m.sign, m.to, m.from, table};
}

BP_KERNEL
{
  double tables[6][BP_TABLE];
  const bp_halves in = bp_split(1, C, Q, a->I, Q, 1, tables[0]);
  const bp_halves out = bp_split(1, Q, C, a->I, 1, Q, tables[1]);
  const bp_halves d = bp_split(-1, C, C, a->D, C, 1, tables[2]);
  const bp_halves dt = bp_split(-1, C, C, a->D, 1, C, tables[3]);
  const bp_halves df = split_folded(d, 0, tables[4]), dtf = split_folded(dt, 1, tables[5]);
  const double lambda = a->lambda;
  bp_vector *w = (bp_vector *)a->scratch, *t = w + C * PLANE, *u = t, *r = t + C * PLANE;
  bp_vector *s = r + C2, *block = s + C2;
  double *tail = (double *)(block + 4 * C);
  const double *start = a->factors + first * G * POINTS;
  bp_ahead(&start, LEAD, REQUESTS);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const double *factors = a->factors + e * G * POINTS;
    const bp_vector *g = (const bp_vector *)factors;
    bp_range range = bp_group_begin(a, e, last, NODES, tail);
    bp_prefetcher ahead = {factors + BP_LANES * LEAD, range.u + BP_LANES * LEAD_U,
                           .times = REQUESTS};
    bp_group_load(range.u, Q, Q2, PLANE_Q, u, NULL);
    bp_pace(&ahead, AHEAD, 0);
    bp_contract_mirrors(in, Q, BP_FOLD_ACROSS, u, PLANE_Q, block, &ahead);
    for (int k = 0; k < C; ++k) {
      bp_folded_lines(in, u + k * PLANE_Q, 1, Q, s, 1, C, Q, 0, &ahead);
      bp_folded_lines(in, s, C, 1, w + k * PLANE, C, 1, C, 0, &ahead);
    }
    bp_contract_beside(d, w, t, PLANE, C2, 0, block, &ahead);
    bp_pace(&ahead, AHEAD_LINE, AHEAD_LINE_U);
    for (int k = 0; k < C; ++k) {
      bp_vector *const x = w + k * PLANE;
      bp_folded_lines(df, x, 1, C, r, 1, C, C, 0, &ahead);
      bp_folded_lines(df, x, C, 1, s, C, 1, C, 0, &ahead);
      metric_slab(lambda, g + G * k * C2, x, r);
      bp_folded_lines(dtf, r, 1, C, x, 1, C, C, 1, &ahead);
      bp_folded_lines(dtf, s, C, 1, x, C, 1, C, 1, &ahead);
    }
    bp_pace(&ahead, AHEAD, 0);
    bp_contract_beside(dt, t, w, PLANE, C2, 1, block, &ahead);
    for (int k = 0; k < C; ++k) {
      bp_folded_lines(out, w + k * PLANE, C, 1, s, C, 1, C, 0, &ahead);
      bp_folded_lines(out, s, 1, C, u + k * PLANE_Q, 1, Q, Q, 0, &ahead);
    }
    bp_contract_mirrors(out, Q, BP_UNFOLD_ACROSS, u, PLANE_Q, block, &ahead);
    bp_group_store(u, Q, Q2, PLANE_Q, range.v, NULL);
    bp_group_end(a, e, last, NODES, range.v);
  }
  bp_fence();
}
