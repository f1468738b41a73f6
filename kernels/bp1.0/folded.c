/* bp1.0/folded -- one element per SIMD lane, lines along i and j are sums and differences all the way
 *
 * degrees:  9..12
 * factors:  eckijl
 * scratch:  lanes * (2 * nc * (nq*nq + 1) + nq*nc + 4 * nc + nq*nq*nq)
 * flops:    ((nc + 1) / 2 * (2 * ((nq + 1) / 2) - 1) + nc / 2 * (2 * (nq / 2) - 1) + (nq + 1) / 2 * (2 * ((nc + 1) / 2) - 1) + nq / 2 * (2 * (nc / 2) - 1)) * (nq*nq + nc*nq + nc*nc) + nq*nq * (6 * (nq / 2 * 2) + 2 * (nc / 2 * 2)) + 4 * nc*nc * (nc / 2 * 2) + nc*nc*nc
 *
 * For 16 registers, with lines that are long: even_odd.c folds and unfolds the lines of each contraction, through
 * memory. Here the contractions along k, which run over the whole group (second-level cache), fold and unfold in all
 * directions. Rows along i need nothing but products. Lines along j are unfolded at the points, four at a time:
 * weighted, folded again, and projected. A slab stays in the first-level cache. The factors are asked for a slab ahead,
 * u while k is contracted. Beside the rows the group before leaves for v and the next one comes from u (exchange.h). */
#include "lib/contract/folded_lines.h"

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  PLANE = BP_STRIDE,
  POINTS = C * C * C,
  NODES = BP_NODES,
  LEAD = C * C + 512, /* vectors that are asked for ahead of their use */
  REQUESTS = 2,       /* of each vector */
};

/* ---- in a slab ---- */

/* Values at the points of a tile's rows, weighted, folded into `block`. w[l]: the weights of line l. */
BP_INLINE void weight_rows(int rows, int middle, int b, int lines, bp_halves in,
                           bp_vector *const x[], const bp_vector *const w[], bp_vector *block,
                           bp_prefetcher *ahead, int t, int parts)
{
  bp_tile sums, differences;
  bp_dot_both(rows, middle, lines, in, b, x, C, sums, differences, ahead, t, parts);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r) {
    const int at = b + r, mirror = C - 1 - at, pairs = r < rows ? lines : 0;
    bp_vector *const left = sums[r], *const right = differences[r];
    for (int l = 0; l < pairs; ++l)
      bp_fold_pair(left + l, right + l);
    bp_fold_pairs(lines, left);
    bp_fold_pairs(pairs, right);
    for (int l = 0; l < lines; ++l)
      left[l] *= w[l][at];
    for (int l = 0; l < pairs; ++l) {
      right[l] *= w[l][mirror];
      bp_fold_pair(left + l, right + l);
    }
    bp_fold_pairs(lines, left);
    bp_fold_pairs(pairs, right);
    for (int l = 0; l < lines; ++l)
      block[at * lines + l] = left[l];
    for (int l = 0; l < pairs; ++l)
      block[mirror * lines + l] = right[l];
  }
}

/* Lines along j in place: i and C-1-i, i+1 and C-2-i; of one or three the last is the middle one. */
BP_INLINE void weight_lines(int lines, bp_halves in, bp_halves out, const bp_vector *w,
                            bp_vector *rows, int i, bp_vector *block, bp_prefetcher *ahead)
{
  enum { HALF = (C + 1) / 2, MIDDLE = C % 2 };
  const int tiles = BP_TILES(HALF, lines), last = tiles - 1;
  const int parts = tiles + BP_TILES((Q + 1) / 2, lines) + BP_TILES(Q / 2, lines);
  bp_vector *x[BP_TILE_LINES], *points[BP_TILE_LINES];
  const bp_vector *weights[BP_TILE_LINES];
#pragma GCC unroll 4
  for (int l = 0; l < lines; ++l) {
    const int line = l % 2 ? C - 1 - i - l / 2 : i + l / 2;
    x[l] = rows + line;
    weights[l] = w + line * C;
    points[l] = block + l;
  }
#define ROWS(t)                                                                                    \
  if ((t) < tiles) {                                                                               \
    const int mid = (t) == last ? MIDDLE : 0;                                                      \
    weight_rows(BP_TILE_SIZE(t, HALF, lines) - mid, mid, BP_TILE_FIRST(t, HALF, lines), lines, in, \
                x, weights, block, ahead, t, parts);                                               \
  }
  ROWS(0)
  ROWS(1)
  ROWS(2)
#undef ROWS
  bp_contract_folded(lines, out, points, lines, x, C, 0, ahead, tiles, parts);
}

BP_INLINE void weight_slab(bp_halves in, bp_halves out, const bp_vector *w, bp_vector *slab,
                           bp_vector *rows, bp_vector *block, bp_prefetcher *ahead,
                           bp_prefetcher *beside)
{
  enum { FOURS = C / 4, REST = C % 4 };
  bp_folded_lines(in, slab, 1, Q, rows, 1, C, Q, 0, beside);
#pragma GCC unroll 1
  for (int n = 0; n < FOURS; ++n)
    weight_lines(4, in, out, w, rows, 2 * n, block, ahead);
  if (REST)
    weight_lines(REST, in, out, w, rows, 2 * FOURS, block, ahead);
  bp_folded_lines(out, rows, 1, C, slab, 1, Q, Q, 0, beside);
}

BP_KERNEL
{
  double tables[2][BP_TABLE];
  const bp_halves in = bp_split(1, C, Q, a->I, Q, 1, tables[0]);
  const bp_halves out = bp_split(1, Q, C, a->I, 1, Q, tables[1]);
  bp_vector *x = (bp_vector *)a->scratch, *other = x + C * PLANE, *rows = other + C * PLANE;
  bp_vector *block = rows + Q * C;
  double *tail = (double *)(block + BP_TILE_LINES * C);
  bp_prefetcher ahead = {.factors = a->factors + first * POINTS, .times = REQUESTS};
  bp_range before = {NULL, NULL}, r = bp_group_begin(a, first, last, NODES, tail);
  bp_ahead(&ahead.factors, LEAD, REQUESTS);
  bp_group_load(r.u, Q, Q2, PLANE, x, NULL);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const bp_vector *w = (const bp_vector *)(a->factors + e * POINTS);
    bp_range next = {NULL, NULL};
    if (e + BP_LANES < last)
      next = bp_group_begin(a, e + BP_LANES, last, NODES, tail);
    bp_exchange exchange = {.x = other, .u = next.u, .v = before.v};
    bp_prefetcher beside = {.exchange = &exchange};
    ahead.u =
        r.u + 3 * BP_LANES * NODES / 2; /* what comes beside the slabs, and half of the next */
    bp_pace(&ahead, 0, (Q + 1) / 2);
    bp_contract_mirrors(in, Q, BP_FOLD_ACROSS, x, PLANE, block, &ahead);
    bp_pace(&ahead, C, 0);
    for (int k = 0; k < C; ++k)
      weight_slab(in, out, w + k * C * C, x + k * PLANE, rows, block, &ahead, &beside);
    bp_exchange_rest(&exchange);
    bp_pace(&ahead, 0, (Q + 1) / 2);
    bp_contract_mirrors(out, Q, BP_UNFOLD_ACROSS, x, PLANE, block, &ahead);
    before = r;
    r = next;
    other = x;
    x = exchange.x;
  }
  bp_group_store(other, Q, Q2, PLANE, before.v, NULL);
  bp_group_end(a, last - 1 - (last - 1 - first) % BP_LANES, last, NODES, before.v);
  bp_fence();
}
