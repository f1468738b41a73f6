/* bp1.0/folded -- one element per SIMD lane, lines along i and j are sums and differences all the way
 *
 * degrees:  9..15
 * factors:  eckijl
 * scratch:  lanes * (nc * (nq*nq + 1) + nq*nc + 4 * nc + nq*nq*nq)
 * flops:    ((nc + 1) / 2 * (2 * ((nq + 1) / 2) - 1) + nc / 2 * (2 * (nq / 2) - 1) + (nq + 1) / 2 * (2 * ((nc + 1) / 2) - 1) + nq / 2 * (2 * (nc / 2) - 1)) * (nq*nq + nc*nq + nc*nc) + nq*nq * (6 * (nq / 2 * 2) + 2 * (nc / 2 * 2)) + 4 * nc*nc * (nc / 2 * 2) + nc*nc*nc
 *
 * For 16 registers, with lines that are long: even_odd.c folds and unfolds the lines of each contraction, through
 * memory. Here the contractions along k, which run over the whole group (second-level cache), fold and unfold in all
 * directions. Rows along i need nothing but products. Lines along j are unfolded at the points, four at a time:
 * weighted, folded again, and projected. A slab stays in the first-level cache. The factors are asked for a slab ahead,
 * the next group's u while k is contracted. */
#include "lib/contract/folded_lines.h"

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  POINTS = C * C * C,
  NODES = Q * Q2,
  LEAD = C * C + 512, /* vectors that are asked for ahead of their use */
  REQUESTS = 2,       /* of each vector */
};

/* ---- along k ---- */

/* Lines that mirror each other into `block`, folded along k and, where `across`, from line to line. */
BP_INLINE void fold_lines(int lines, int count, int across, bp_vector *const x[], bp_vector *block)
{
#pragma GCC unroll 1
  for (int a = 0; a < count / 2; ++a) {
    const int mirror = count - 1 - a;
    bp_vector left[BP_TILE_LINES], right[BP_TILE_LINES];
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      left[l] = x[l][a * PLANE];
      right[l] = x[l][mirror * PLANE];
      bp_fold_pair(left + l, right + l);
    }
    bp_fold_quad(across ? lines : 1, left);
    bp_fold_quad(across ? lines : 1, right);
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      block[a * lines + l] = left[l];
      block[mirror * lines + l] = right[l];
    }
  }
  if (count % 2) {
    bp_vector *const middle = block + count / 2 * lines;
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      middle[l] = x[l][count / 2 * PLANE];
    bp_fold_quad(across ? lines : 1, middle);
  }
}

/* Rows b .. b + rows - 1, those that mirror them, and the middle row where that is next. */
BP_INLINE void unfold_rows(int rows, int middle, int b, int lines, bp_halves m, int across,
                           bp_vector *const block[], bp_vector *const x[], bp_prefetcher *ahead,
                           int t, int parts)
{
  bp_tile sums, differences;
  bp_dot_both(rows, middle, lines, m, b, block, lines, sums, differences, ahead, t, parts);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r) {
    bp_vector *const left = sums[r], *const right = differences[r];
    for (int l = 0; l < lines && r < rows; ++l)
      bp_fold_pair(left + l, right + l);
    bp_fold_quad(across ? lines : 1, left);
    bp_fold_quad(across && r < rows ? lines : 1, right);
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      x[l][(b + r) * PLANE] = left[l];
      if (r < rows)
        x[l][(m.to - 1 - b - r) * PLANE] = right[l];
    }
  }
}

/* In place. To the points: folded across on the way in. To the nodes: unfolded on the way out. */
BP_INLINE void contract_lines(int lines, bp_halves m, bp_vector *const x[], bp_vector *block,
                              bp_prefetcher *ahead)
{
  const int half = (m.to + 1) / 2, tiles = BP_TILES(half, lines), last = tiles - 1;
  const int middle = m.to % 2, to_nodes = m.to == Q;
  bp_vector *from[BP_TILE_LINES];
#pragma GCC unroll 4
  for (int l = 0; l < lines; ++l)
    from[l] = block + l;
  fold_lines(lines, m.from, !to_nodes, x, block);
#define ROWS(t)                                                                                    \
  if ((t) < tiles) {                                                                               \
    const int mid = (t) == last ? middle : 0;                                                      \
    unfold_rows(BP_TILE_SIZE(t, half, lines) - mid, mid, BP_TILE_FIRST(t, half, lines), lines, m,  \
                to_nodes, from, x, ahead, t, tiles);                                               \
  }
  ROWS(0)
  ROWS(1)
  ROWS(2)
#undef ROWS
}

BP_INLINE void contract_along_k(bp_halves m, bp_vector *x, bp_vector *block, bp_prefetcher *ahead)
{
  enum { MIDDLE = Q / 2 };
  for (int j = 0; j < Q / 2; ++j) {
    bp_vector *const front = x + j * Q, *const back = x + (Q - 1 - j) * Q;
    for (int i = 0; i < Q / 2; ++i) {
      const int mirror = Q - 1 - i;
      contract_lines(4, m, (bp_vector *[]){front + i, front + mirror, back + i, back + mirror},
                     block, ahead);
    }
    if (Q % 2)
      contract_lines(2, m, (bp_vector *[]){front + MIDDLE, back + MIDDLE}, block, ahead);
  }
  if (Q % 2) {
    bp_vector *const row = x + MIDDLE * Q;
    for (int i = 0; i < Q / 2; ++i)
      contract_lines(2, m, (bp_vector *[]){row + i, row + Q - 1 - i}, block, ahead);
    contract_lines(1, m, (bp_vector *[]){row + MIDDLE}, block, ahead);
  }
}

/* ---- in a slab ---- */

BP_INLINE void some_rows(int lines, bp_halves m, bp_vector *from, bp_vector *to)
{
  bp_vector *f[BP_TILE_LINES], *t[BP_TILE_LINES];
#pragma GCC unroll 4
  for (int l = 0; l < lines; ++l) {
    f[l] = from + l * m.from;
    t[l] = to + l * m.to;
  }
  bp_contract_folded(lines, m, f, 1, t, 1, NULL, 0, 1);
}

BP_INLINE void contract_rows(bp_halves m, bp_vector *from, bp_vector *to)
{
  enum { REST = Q % BP_TILE_LINES };
  int n = 0;
#pragma GCC unroll 1
  for (; n + BP_TILE_LINES <= Q; n += BP_TILE_LINES)
    some_rows(BP_TILE_LINES, m, from + n * m.from, to + n * m.to);
  if (REST)
    some_rows(REST, m, from + n * m.from, to + n * m.to);
}

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
  bp_contract_folded(lines, out, points, lines, x, C, ahead, tiles, parts);
}

BP_INLINE void weight_slab(bp_halves in, bp_halves out, const bp_vector *w, bp_vector *slab,
                           bp_vector *rows, bp_vector *block, bp_prefetcher *ahead)
{
  enum { FOURS = C / 4, REST = C % 4 };
  contract_rows(in, slab, rows);
#pragma GCC unroll 1
  for (int n = 0; n < FOURS; ++n)
    weight_lines(4, in, out, w, rows, 2 * n, block, ahead);
  if (REST)
    weight_lines(REST, in, out, w, rows, 2 * FOURS, block, ahead);
  contract_rows(out, rows, slab);
}

BP_KERNEL
{
  double tables[2][BP_TABLE];
  const bp_halves in = bp_split(1, C, Q, a->I, Q, 1, tables[0]);
  const bp_halves out = bp_split(1, Q, C, a->I, 1, Q, tables[1]);
  bp_vector *x = (bp_vector *)a->scratch, *rows = x + C * PLANE, *block = rows + Q * C;
  double *tail = (double *)(block + BP_TILE_LINES * C);
  bp_prefetcher ahead = {.factors = a->factors + first * POINTS, .times = REQUESTS};
  bp_ahead(&ahead.factors, LEAD, REQUESTS);
  for (int64_t e = first; e < last; e += BP_LANES) {
    const bp_vector *w = (const bp_vector *)(a->factors + e * POINTS);
    bp_range r = bp_group_begin(a, e, last, NODES, tail);
    ahead.u = r.u + BP_LANES * NODES;
    bp_group_load(r.u, Q, Q2, PLANE, x, NULL);
    bp_pace(&ahead, 0, (Q + 1) / 2);
    contract_along_k(in, x, block, &ahead);
    bp_pace(&ahead, C, 0);
    for (int k = 0; k < C; ++k)
      weight_slab(in, out, w + k * C * C, x + k * PLANE, rows, block, &ahead);
    bp_pace(&ahead, 0, (Q + 1) / 2);
    contract_along_k(out, x, block, &ahead);
    bp_group_store(x, Q, Q2, PLANE, r.v, NULL);
    bp_group_end(a, e, last, NODES, r.v);
  }
  bp_fence();
}
