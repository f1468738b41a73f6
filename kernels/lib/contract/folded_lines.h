/* folded_lines.h -- even-odd contractions of lines that stay sums and differences, for 16 registers.
 *
 * A folded line of n values has the sums x[a] + x[n-1-a] from its front (and a middle value), the differences
 * x[a] - x[n-1-a] from its back. A contraction needs no more: it maps sums to sums and differences to differences. So
 * lines are folded and unfolded where their values are in registers anyway, and a tile of the matrix's rows and a few
 * lines stay in registers from the first product to the last. */
#ifndef BP_KERNELS_FOLDED_LINES_H
#define BP_KERNELS_FOLDED_LINES_H

#include "lib/contract/even_odd.h"
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

/* The part of what the lines prefetch that comes before a tile. */
BP_INLINE void bp_prefetch_tile(bp_prefetcher *ahead, int lines, int part, int parts)
{
  if (!ahead)
    return;
  const int factors = ahead->factors_pace, u = ahead->u_pace;
  bp_pace(ahead, factors * lines, u * lines);
  bp_prefetch_part(ahead, part, parts);
  bp_pace(ahead, factors, u);
}

/* Both: the differences' products wait in memory. `middle` is 1 where the middle row is next; it comes
 * behind the others in `sums`. */
BP_INLINE void bp_dot_both(int rows, int middle, int lines, bp_halves m, int b,
                           bp_vector *const x[], int step, bp_tile sums, bp_tile differences,
                           bp_prefetcher *ahead, int part, int parts)
{
  bp_tile products;
  bp_prefetch_tile(ahead, lines, 2 * part, 2 * parts);
  if (rows)
    bp_dot_differences(rows, lines, m, b, x, step, products);
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      bp_put_down(&differences[r][l], products[r][l]);
  bp_prefetch_tile(ahead, lines, 2 * part + 1, 2 * parts);
  bp_dot_sums(rows + middle, lines, m, b, x, step, sums);
}

BP_INLINE void bp_sums_tile(int t, int lines, bp_halves m, bp_vector *const from[], int from_step,
                            bp_vector *const to[], int to_step)
{
  const int count = (m.to + 1) / 2, b = BP_TILE_FIRST(t, count, lines);
  const int rows = BP_TILE_SIZE(t, count, lines);
  bp_tile sums;
  bp_dot_sums(rows, lines, m, b, from, from_step, sums);
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      to[l][(b + r) * to_step] = sums[r][l];
}

BP_INLINE void bp_differences_tile(int t, int lines, bp_halves m, bp_vector *const from[],
                                   int from_step, bp_vector *const to[], int to_step)
{
  const int count = m.to / 2, b = BP_TILE_FIRST(t, count, lines);
  const int rows = BP_TILE_SIZE(t, count, lines);
  bp_tile sums;
  bp_dot_differences(rows, lines, m, b, from, from_step, sums);
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      to[l][(m.to - 1 - b - r) * to_step] = sums[r][l];
}

/* Folded lines to folded lines, elsewhere. They prefetch from part `part` of `parts` on: a part per tile. */
BP_INLINE void bp_contract_folded(int lines, bp_halves m, bp_vector *const from[], int from_step,
                                  bp_vector *const to[], int to_step, bp_prefetcher *ahead,
                                  int part, int parts)
{
  const int tiles = BP_TILES((m.to + 1) / 2, lines), others = BP_TILES(m.to / 2, lines);
#define BP_ONE_TILE(kind, t, count)                                                                \
  if ((t) < (count)) {                                                                             \
    bp_prefetch_tile(ahead, lines, part++, parts);                                                 \
    bp_##kind##_tile(t, lines, m, from, from_step, to, to_step);                                   \
  }
  /* By hand: GCC must know a tile's size before it unrolls loops. */
  BP_ONE_TILE(sums, 0, tiles)
  BP_ONE_TILE(sums, 1, tiles)
  BP_ONE_TILE(sums, 2, tiles)
  BP_ONE_TILE(differences, 0, others)
  BP_ONE_TILE(differences, 1, others)
  BP_ONE_TILE(differences, 2, others)
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

#endif
