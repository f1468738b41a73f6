/* folded_lines.h -- even-odd contractions of lines that stay sums and differences, for 16 registers.
 *
 * A folded line of n values has the sums x[a] + x[n-1-a] from its front (and a middle value), the differences
 * x[a] - x[n-1-a] from its back. A contraction needs no more: it maps sums to sums and differences to
 * differences, or the reverse. So lines are folded and unfolded where their values are in registers anyway,
 * and a tile of the matrix's rows and a few lines stay in registers from the first product to the last. */
#ifndef BP_KERNELS_FOLDED_LINES_H
#define BP_KERNELS_FOLDED_LINES_H

#include "lib/contract/even_odd.h"
#include "lib/contract/exchange.h"
#include "lib/contract/registers.h"

enum { BP_TILE_LINES = 4, BP_TILE_ROWS = 5 };

typedef bp_vector bp_tile[BP_TILE_ROWS][BP_TILE_LINES];

/* Rows of the matrix that go with so many lines: their sums, a few entries and a value are in registers. */
#define BP_ROWS_OF(lines) ((lines) == 4 ? 3 : (lines) == 3 ? 4 : 5)

/* `count` rows are so many tiles, three at most, of nearly the same size: tile t begins with row FIRST(t). */
#define BP_TILES(count, lines)         (((count) + BP_ROWS_OF(lines) - 1) / BP_ROWS_OF(lines))
#define BP_TILE_FIRST(t, count, lines) ((t) * (count) / BP_TILES(count, lines))
#define BP_TILE_SIZE(t, count, lines)                                                              \
  (BP_TILE_FIRST((t) + 1, count, lines) - BP_TILE_FIRST(t, count, lines))

/* sums[r][l] = the sum over a < count of row[r * row_step + a] x[l][a * step]. */
BP_INLINE void bp_tile_dot(int rows, int lines, const double *row, int row_step, int count,
                           bp_vector *const x[], int step, bp_tile sums)
{
  /* The first values stand in memory: left alone, GCC would keep them in registers for the next tile. */
  __asm__ volatile("" ::: "memory");
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      sums[r][l] = row[r * row_step] * x[l][0];
  /* The fewer ones, entries or values, are in registers for all of the others. */
  const int by_rows = rows <= lines, few = by_rows ? rows : lines, many = by_rows ? lines : rows;
#pragma GCC unroll 1
  for (int a = 1; a < count; ++a) {
    bp_vector kept[BP_TILE_LINES];
#pragma GCC unroll 4
    for (int n = 0; n < few; ++n)
      kept[n] = by_rows ? bp_broadcast(row + n * row_step + a) : bp_load(x[n] + a * step);
#pragma GCC unroll 5
    for (int m = 0; m < many; ++m) {
      const bp_vector other =
          by_rows ? bp_load(x[m] + a * step) : bp_broadcast(row + m * row_step + a);
#pragma GCC unroll 4
      for (int n = 0; n < few; ++n)
        if (by_rows)
          sums[n][m] += kept[n] * other;
        else
          sums[m][n] += kept[n] * other;
    }
  }
}

/* Rows b .. b + rows - 1 times the lines' sums, and times their differences. */
BP_INLINE void bp_dot_sums(int rows, int lines, bp_halves m, int b, bp_vector *const x[], int step,
                           bp_tile sums)
{
  bp_tile_dot(rows, lines, m.table + b * m.from, m.from, (m.from + 1) / 2, x, step, sums);
}

BP_INLINE void bp_dot_differences(int rows, int lines, bp_halves m, int b, bp_vector *const x[],
                                  int step, bp_tile sums)
{
  bp_vector *back[BP_TILE_LINES];
#pragma GCC unroll 4
  for (int l = 0; l < lines; ++l)
    back[l] = x[l] + (m.from - 1) * step;
  bp_tile_dot(rows, lines, m.table + b * m.from + (m.from + 1) / 2, m.from, m.from / 2, back, -step,
              sums);
}

/* The part of what the lines prefetch that comes before a tile, and what is exchanged beside it. */
BP_INLINE void bp_prefetch_tile(bp_prefetcher *ahead, int lines, int part, int parts)
{
  if (!ahead)
    return;
  const int factors = ahead->factors_pace, u = ahead->u_pace;
  bp_pace(ahead, factors * lines, u * lines);
  bp_prefetch_part(ahead, part, parts);
  bp_pace(ahead, factors, u);
  if (ahead->exchange)
    bp_exchange_next(ahead->exchange);
}

/* Rows b .. b + rows - 1 times what makes the front of the result, and its back: sums and differences, or the
 * reverse where m.sign is -1. */
BP_INLINE void bp_dot_front(int rows, int lines, bp_halves m, int b, bp_vector *const x[], int step,
                            bp_tile sums)
{
  if (m.sign > 0)
    bp_dot_sums(rows, lines, m, b, x, step, sums);
  else
    bp_dot_differences(rows, lines, m, b, x, step, sums);
}

BP_INLINE void bp_dot_back(int rows, int lines, bp_halves m, int b, bp_vector *const x[], int step,
                           bp_tile sums)
{
  m.sign = -m.sign;
  bp_dot_front(rows, lines, m, b, x, step, sums);
}

/* Both: the back waits in memory. `middle` is 1 where the middle row is next; it comes behind the others in
 * `front`. */
BP_INLINE void bp_dot_both(int rows, int middle, int lines, bp_halves m, int b,
                           bp_vector *const x[], int step, bp_tile front, bp_tile back,
                           bp_prefetcher *ahead, int part, int parts)
{
  bp_tile products;
  bp_prefetch_tile(ahead, lines, 2 * part, 2 * parts);
  if (rows)
    bp_dot_back(rows, lines, m, b, x, step, products);
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      bp_put_down(&back[r][l], products[r][l]);
  bp_prefetch_tile(ahead, lines, 2 * part + 1, 2 * parts);
  bp_dot_front(rows + middle, lines, m, b, x, step, front);
}

/* Tile t of the front, or of the back, stored or added. */
BP_INLINE void bp_one_tile(int t, int front, int lines, bp_halves m, bp_vector *const from[],
                           int from_step, bp_vector *const to[], int to_step, int add)
{
  const int count = (m.to + front) / 2, b = BP_TILE_FIRST(t, count, lines);
  const int rows = BP_TILE_SIZE(t, count, lines);
  bp_tile sums;
  if (front)
    bp_dot_front(rows, lines, m, b, from, from_step, sums);
  else
    bp_dot_back(rows, lines, m, b, from, from_step, sums);
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      bp_put(to[l] + (front ? b + r : m.to - 1 - b - r) * to_step, sums[r][l], add);
}

/* Folded lines to folded lines, elsewhere. They prefetch from part `part` of `parts` on: a part per tile. */
BP_INLINE void bp_contract_folded(int lines, bp_halves m, bp_vector *const from[], int from_step,
                                  bp_vector *const to[], int to_step, int add, bp_prefetcher *ahead,
                                  int part, int parts)
{
  const int tiles = BP_TILES((m.to + 1) / 2, lines), others = BP_TILES(m.to / 2, lines);
#define BP_ONE_TILE(t, front, count)                                                               \
  if ((t) < (count)) {                                                                             \
    bp_prefetch_tile(ahead, lines, part++, parts);                                                 \
    bp_one_tile(t, front, lines, m, from, from_step, to, to_step, add);                            \
  }
  /* By hand: GCC must know a tile's size before it unrolls loops. */
  BP_ONE_TILE(0, 1, tiles)
  BP_ONE_TILE(1, 1, tiles)
  BP_ONE_TILE(2, 1, tiles)
  BP_ONE_TILE(0, 0, others)
  BP_ONE_TILE(1, 0, others)
  BP_ONE_TILE(2, 0, others)
#undef BP_ONE_TILE
}

/* ---- lines that mirror each other ---- */

/* Sum and difference in the place of two values. */
BP_INLINE void bp_fold_pair(bp_vector *a, bp_vector *b)
{
  const bp_vector x = *a, y = *b;
  *a = x + y;
  *b = x - y;
}

/* Lines 0 and 1, 2 and 3 mirror each other. */
BP_INLINE void bp_fold_pairs(int lines, bp_vector x[])
{
#pragma GCC unroll 2
  for (int l = 0; l + 1 < lines; l += 2)
    bp_fold_pair(x + l, x + l + 1);
}

/* So do the two pairs. */
BP_INLINE void bp_fold_quad(int lines, bp_vector x[])
{
  bp_fold_pairs(lines, x);
  if (lines == 4) {
    bp_fold_pair(x, x + 2);
    bp_fold_pair(x + 1, x + 3);
  }
}

/* ---- many lines ---- */

/* `count` lines in fours and threes: so many threes. */
#define BP_THREES(count) ((BP_TILE_LINES - (count) % BP_TILE_LINES) % BP_TILE_LINES)

BP_INLINE void bp_some_lines(int lines, bp_halves m, bp_vector *from, int from_step, int from_line,
                             bp_vector *to, int to_step, int to_line, int add, bp_prefetcher *ahead)
{
  bp_vector *f[BP_TILE_LINES], *t[BP_TILE_LINES];
#pragma GCC unroll 4
  for (int l = 0; l < lines; ++l) {
    f[l] = from + l * from_line;
    t[l] = to + l * to_line;
  }
  bp_contract_folded(lines, m, f, from_step, t, to_step, add, ahead, 0,
                     BP_TILES((m.to + 1) / 2, lines) + BP_TILES(m.to / 2, lines));
}

/* Folded lines to folded lines, `count` of them, nine at least. */
BP_INLINE void bp_folded_lines(bp_halves m, bp_vector *from, int from_step, int from_line,
                               bp_vector *to, int to_step, int to_line, int count, int add,
                               bp_prefetcher *ahead)
{
  const int fours = count - 3 * BP_THREES(count);
  int n = 0;
#pragma GCC unroll 1
  for (; n < fours; n += 4)
    bp_some_lines(4, m, from + n * from_line, from_step, from_line, to + n * to_line, to_step,
                  to_line, add, ahead);
#pragma GCC unroll 1
  for (; n < count; n += 3)
    bp_some_lines(3, m, from + n * from_line, from_step, from_line, to + n * to_line, to_step,
                  to_line, add, ahead);
}

/* ---- along k, where lines are folded on the way in and unfolded on the way out ---- */

/* What happens to lines that mirror each other meanwhile. */
typedef enum { BP_STAY, BP_FOLD_ACROSS, BP_UNFOLD_ACROSS } bp_across;

/* Lines into `block`, folded along k, and from line to line before that. */
BP_INLINE void bp_fold_lines(int lines, int count, bp_across across, bp_vector *const x[],
                             int plane, bp_vector *block)
{
  const int quad = across == BP_FOLD_ACROSS ? lines : 1;
#pragma GCC unroll 1
  for (int a = 0; a < count / 2; ++a) {
    const int mirror = count - 1 - a;
    bp_vector left[BP_TILE_LINES], right[BP_TILE_LINES];
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      left[l] = x[l][a * plane];
      right[l] = x[l][mirror * plane];
      bp_fold_pair(left + l, right + l);
    }
    bp_fold_quad(quad, left);
    bp_fold_quad(quad, right);
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
      middle[l] = x[l][count / 2 * plane];
    bp_fold_quad(quad, middle);
  }
}

/* Rows b .. b + rows - 1, those that mirror them, and the middle row where that is next. */
BP_INLINE void bp_unfold_rows(int rows, int middle, int b, int lines, bp_halves m, bp_across across,
                              int add, bp_vector *const block[], bp_vector *const to[], int plane,
                              bp_prefetcher *ahead, int t, int parts)
{
  const int quad = across == BP_UNFOLD_ACROSS ? lines : 1;
  bp_tile front, back;
  bp_dot_both(rows, middle, lines, m, b, block, lines, front, back, ahead, t, parts);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r) {
    bp_vector *const left = front[r], *const right = back[r];
    for (int l = 0; l < lines && r < rows; ++l)
      bp_fold_pair(left + l, right + l);
    bp_fold_quad(quad, left);
    bp_fold_quad(r < rows ? quad : 1, right);
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      bp_put(to[l] + (b + r) * plane, left[l], add);
      if (r < rows)
        bp_put(to[l] + (m.to - 1 - b - r) * plane, right[l], add);
    }
  }
}

/* `block` holds the lines; `to` may be `from`. */
BP_INLINE void bp_contract_along(int lines, bp_halves m, bp_across across, bp_vector *const from[],
                                 bp_vector *const to[], int plane, int add, bp_vector *block,
                                 bp_prefetcher *ahead)
{
  const int half = (m.to + 1) / 2, tiles = BP_TILES(half, lines), last = tiles - 1;
  const int middle = m.to % 2;
  bp_vector *folded[BP_TILE_LINES];
#pragma GCC unroll 4
  for (int l = 0; l < lines; ++l)
    folded[l] = block + l;
  bp_fold_lines(lines, m.from, across, from, plane, block);
#define ROWS(t)                                                                                    \
  if ((t) < tiles) {                                                                               \
    const int mid = (t) == last ? middle : 0;                                                      \
    bp_unfold_rows(BP_TILE_SIZE(t, half, lines) - mid, mid, BP_TILE_FIRST(t, half, lines), lines,  \
                   m, across, add, folded, to, plane, ahead, t, tiles);                            \
  }
  ROWS(0)
  ROWS(1)
  ROWS(2)
#undef ROWS
}

/* In place, all lines of planes of n * n that mirror each other together. */
BP_INLINE void bp_contract_mirrors(bp_halves m, int n, bp_across across, bp_vector *x, int plane,
                                   bp_vector *block, bp_prefetcher *ahead)
{
  const int middle = n / 2;
  for (int j = 0; j < n / 2; ++j) {
    bp_vector *const front = x + j * n, *const back = x + (n - 1 - j) * n;
    for (int i = 0; i < n / 2; ++i) {
      bp_vector *const lines[] = {front + i, front + n - 1 - i, back + i, back + n - 1 - i};
      bp_contract_along(4, m, across, lines, lines, plane, 0, block, ahead);
    }
    if (n % 2) {
      bp_vector *const lines[] = {front + middle, back + middle};
      bp_contract_along(2, m, across, lines, lines, plane, 0, block, ahead);
    }
  }
  if (n % 2) {
    bp_vector *const row = x + middle * n, *const centre[] = {row + middle};
    for (int i = 0; i < n / 2; ++i) {
      bp_vector *const lines[] = {row + i, row + n - 1 - i};
      bp_contract_along(2, m, across, lines, lines, plane, 0, block, ahead);
    }
    bp_contract_along(1, m, across, centre, centre, plane, 0, block, ahead);
  }
}

/* `count` lines side by side, nine at least. */
BP_INLINE void bp_contract_beside(bp_halves m, bp_vector *from, bp_vector *to, int plane, int count,
                                  int add, bp_vector *block, bp_prefetcher *ahead)
{
  const int fours = count - 3 * BP_THREES(count);
  int n = 0;
  for (; n < fours; n += 4)
    bp_contract_along(
        4, m, BP_STAY, (bp_vector *[]){from + n, from + n + 1, from + n + 2, from + n + 3},
        (bp_vector *[]){to + n, to + n + 1, to + n + 2, to + n + 3}, plane, add, block, ahead);
  for (; n < count; n += 3)
    bp_contract_along(3, m, BP_STAY, (bp_vector *[]){from + n, from + n + 1, from + n + 2},
                      (bp_vector *[]){to + n, to + n + 1, to + n + 2}, plane, add, block, ahead);
}

#endif
