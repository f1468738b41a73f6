/* bp1.0/even_odd -- one element per SIMD lane, even-odd splitting, a slab of points in L1
 *
 * degrees:  1..15
 * points:   1..5
 * precision: mixed single
 * factors:  eckijl
 * scratch:  lanes * (nc * (nq*nq + 1) + nq*nc + nq*nq*nq)
 * flops:    (nq / 2 * 2 + nc / 2 * 2 * nq + nc % 2 * ((nq + 1) / 2 * 2 - 1) + nc / 2 * 2 + nq / 2 * 2 * nc + nq % 2 * ((nc + 1) / 2 * 2 - 1)) * (nq*nq + nc*nq + nc*nc) + nc*nc*nc
 *
 * Interpolation along k runs over the whole group (second-level cache). Then one slab of points at
 * a time stays in the first-level cache: rows along i, then lines along j, which are interpolated,
 * weighted and projected in one go, then rows back. The factors come in that order and are asked
 * for a slab ahead; the next group's u while k is contracted. */
#include "lib/contract/line_blocks.h"

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  POINTS = C * C * C,
  NODES = Q * Q2,
  /* Vectors that are asked for ahead of their use: enough to cover the latency of memory. */
  LEAD = C * C + 512,
  LEAD_U = NODES < 256 ? 256 : NODES,
  REQUESTS = BP_N <= 2 ? 2 : 1, /* of each vector */
};

enum { L = BP_BLOCK_LINES };

/* Interpolated, weighted and projected without leaving the registers. */
BP_INLINE void weight_line(bp_halves in, bp_halves out, const bp_factors *w, bp_vector *line,
                           bp_prefetcher *ahead)
{
  bp_folded nodes, points;
  bp_prefetch_part(ahead, 0, 1);
  bp_fold_line(&nodes, Q, line, C);
#pragma GCC unroll 8
  for (int j = 0; j < C / 2; ++j) {
    bp_vector left, right;
    bp_unfold(in, &nodes, j, &left, &right);
    bp_fold(&points, j, BP_FACTOR(w[j]) * left, BP_FACTOR(w[C - 1 - j]) * right);
  }
  if (C % 2)
    points.even[C / 2] = BP_FACTOR(w[C / 2]) * bp_middle(in, &nodes);
  bp_unfold_line(out, &points, line, C, NULL);
}

/* Rows j .. j + rows - 1 of L lines, those that mirror them, and the middle row where that is next. */
BP_INLINE void weight_rows(bp_halves in, const bp_block *nodes, int j, int rows, int middle,
                           const bp_factors *w, bp_block *points)
{
  bp_block_rows sums, differences;
  bp_unfold_block(in, nodes, j, rows, middle, sums, differences);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < L; ++l) {
      bp_vector left = sums[r][l], right;
      if (r == rows) {
        points->even[j + r][l] = BP_FACTOR(w[l * C + j + r]) * left;
        continue;
      }
      bp_mirror(in, left, differences[r][l], &left, &right);
      const bp_vector a = BP_FACTOR(w[l * C + j + r]) * left;
      const bp_vector b = BP_FACTOR(w[l * C + C - 1 - j - r]) * right;
      points->even[j + r][l] = a + b;
      points->odd[j + r][l] = a - b;
    }
}

/* L lines at once. */
BP_INLINE void weight_lines(bp_halves in, bp_halves out, const bp_factors *w, bp_vector *lines,
                            bp_prefetcher *ahead)
{
  enum { LAST = BP_LAST_ROWS(C) };
  bp_block nodes, points;
  bp_fold_block(&nodes, Q, lines, C, 1);
#pragma GCC unroll 4
  for (int j = 0; j < LAST; j += BP_BLOCK_ROWS)
    weight_rows(in, &nodes, j, BP_BLOCK_ROWS, 0, w, &points);
  weight_rows(in, &nodes, LAST, C / 2 - LAST, C % 2, w, &points);
  bp_unfold_lines(out, &points, lines, C, 1, 0, ahead);
}

BP_INLINE void weight_slab(bp_halves in, bp_halves out, const bp_factors *w, bp_vector *slab,
                           bp_vector *rows, bp_prefetcher *ahead)
{
  bp_contract_rows_by_blocks(in, slab, rows, Q, NULL);
  int i = 0;
  for (; BP_BY_BLOCKS && i + L <= C; i += L)
    weight_lines(in, out, w + i * C, rows + i, ahead);
  for (; i < C; ++i)
    weight_line(in, out, w + i * C, rows + i, ahead);
  bp_contract_rows_by_blocks(out, rows, slab, Q, NULL);
}

BP_KERNEL
{
  real tables[2][BP_TABLE];
  const bp_halves in = bp_split(1, C, Q, a->I, Q, 1, tables[0]);
  const bp_halves out = bp_split(1, Q, C, a->I, 1, Q, tables[1]);
  bp_vector *x = (bp_vector *)a->scratch, *rows = x + C * PLANE;
  real *tail = (real *)(rows + Q * C);
  bp_prefetcher ahead = {.factors = a->factors + first * POINTS, .times = REQUESTS};
  ahead.factors = bp_ahead(ahead.factors, sizeof(bp_factors), LEAD, REQUESTS);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const bp_factors *w = (const bp_factors *)(a->factors + e * POINTS);
    bp_range r = bp_group_begin(a, e, last, NODES, tail);
    ahead.u = r.u + BP_LANES * LEAD_U;
    bp_group_load(r.u, Q, Q2, PLANE, x, NULL);
    bp_pace(&ahead, 0, (Q + 1) / 2);
    /* In place: a line has left when its results come. */
    bp_contract_blocks(in, x, PLANE, 1, x, PLANE, 1, Q2, 0, &ahead);
    bp_pace(&ahead, C, 0);
    for (int k = 0; k < C; ++k)
      weight_slab(in, out, w + k * C * C, x + k * PLANE, rows, &ahead);
    bp_pace(&ahead, 0, (Q + 1) / 2);
    bp_contract_blocks(out, x, PLANE, 1, x, PLANE, 1, Q2, 0, &ahead);
    bp_group_store(x, Q, Q2, PLANE, r.v, NULL);
    bp_group_end(a, e, last, NODES, r.v);
  }
  bp_fence();
}
