/* line_blocks.h -- even-odd contractions of several lines at once, for instruction sets with 16 registers.
 *
 * There a line's sums and differences do not stay in registers, and each product loads two numbers: an entry of the
 * matrix and one of the line. Loads are what binds. BP_BLOCK_LINES lines and a tile of rows of the matrix at a time
 * load 3/4 of a number or less, which pays where lines are long. Loops over a line stay loops: unrolled, they are
 * slower. With 32 registers, whose products broadcast entries by themselves, lines are best one by one. */
#ifndef BP_KERNELS_LINE_BLOCKS_H
#define BP_KERNELS_LINE_BLOCKS_H

#include "lib/contract/even_odd.h"
#include "lib/contract/registers.h"

enum {
  BP_BLOCK_LINES = 2,
  BP_BLOCK_ROWS = 4,
  BP_BY_BLOCKS = BP_LANES < 8 && BP_NC >= (BP_LANES == 2 ? 11 : 14)
};

/* Tiles of rows of a matrix's upper half, and where the last one begins; the middle row comes with it. */
#define BP_TILES(to)     (((to) / 2 + BP_BLOCK_ROWS - 1) / BP_BLOCK_ROWS)
#define BP_LAST_ROWS(to) ((BP_TILES(to) - 1) * BP_BLOCK_ROWS)

/* Sums and differences of the lines. */
typedef struct {
  bp_vector even[BP_HALF][BP_BLOCK_LINES], odd[BP_HALF][BP_BLOCK_LINES];
} bp_block;

/* Of a few rows of the matrix, and one more where that is the middle row. */
typedef bp_vector bp_block_rows[BP_BLOCK_ROWS + 1][BP_BLOCK_LINES];

/* `step`: from node to node, `line`: from line to line. */
BP_INLINE void bp_fold_block(bp_block *block, int count, const bp_vector *from, int step, int line)
{
  const int middle = count / 2;
#pragma GCC unroll 1
  for (int a = 0; a < middle; ++a)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l) {
      const bp_vector left = from[a * step + l * line];
      const bp_vector right = from[(count - 1 - a) * step + l * line];
      block->even[a][l] = left + right;
      block->odd[a][l] = left - right;
    }
  for (int l = 0; l < BP_BLOCK_LINES && count % 2; ++l)
    block->even[middle][l] = from[middle * step + l * line];
}

/* sums[b][l] = the sum over a < count of row[b * step + a] x[a][l]. */
BP_INLINE void bp_block_dot(int rows, const real *row, int step, int count,
                            const bp_vector x[][BP_BLOCK_LINES], bp_block_rows sums)
{
#pragma GCC unroll 5
  for (int b = 0; b < rows; ++b)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l)
      sums[b][l] = row[b * step] * x[0][l];
#pragma GCC unroll 1
  for (int a = 1; a < count; ++a) {
    bp_vector entry[BP_BLOCK_ROWS + 1];
#pragma GCC unroll 5
    for (int b = 0; b < rows; ++b)
      entry[b] = bp_broadcast(row + b * step + a);
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l) {
      const bp_vector value = bp_load(&x[a][l]);
#pragma GCC unroll 5
      for (int b = 0; b < rows; ++b)
        sums[b][l] += entry[b] * value;
    }
  }
}

/* Rows b .. b + rows - 1 of M, all below to/2, times the lines: of their sums and of their differences,
 * which make those that mirror them, too. `middle` is 1 where the middle row is next: it comes behind
 * them in `sums`. */
BP_INLINE void bp_unfold_block(bp_halves m, const bp_block *block, int b, int rows, int middle,
                               bp_block_rows sums, bp_block_rows differences)
{
  const int evens = (m.from + 1) / 2, odd_rows = rows + (m.sign < 0 ? middle : 0);
  const real *row = m.table + b * m.from;
  bp_block_rows products;
  bp_block_dot(odd_rows, row + evens, m.from, m.from / 2, block->odd, products);
#pragma GCC unroll 5
  for (int r = 0; r < odd_rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l)
      bp_put_down(&differences[r][l], products[r][l]);
  bp_block_dot(rows + (m.sign > 0 ? middle : 0), row, m.from, evens, block->even, sums);
#pragma GCC unroll 4
  for (int l = 0; l < BP_BLOCK_LINES; ++l)
    if (middle && m.sign < 0)
      sums[rows][l] = differences[rows][l];
}

/* A row and the one that mirrors it. */
BP_INLINE void bp_mirror(bp_halves m, bp_vector sum, bp_vector difference, bp_vector *left,
                         bp_vector *right)
{
  *left = sum + difference;
  *right = m.sign > 0 ? sum - difference : difference - sum;
}

/* Of what the lines prefetch, the part before the tile that begins with row b. */
BP_INLINE void bp_prefetch_tile(bp_halves m, int b, bp_prefetcher *ahead)
{
#pragma GCC unroll 4
  for (int l = 0; l < BP_BLOCK_LINES; ++l)
    bp_prefetch_part(ahead, b / BP_BLOCK_ROWS, BP_TILES(m.to));
}

/* Stores the rows that bp_unfold_block makes, or adds them. */
BP_INLINE void bp_store_block(bp_halves m, const bp_block *block, int b, int rows, int middle,
                              bp_vector *to, int step, int line, int add, bp_prefetcher *ahead)
{
  bp_block_rows sums, differences;
  bp_prefetch_tile(m, b, ahead);
  bp_unfold_block(m, block, b, rows, middle, sums, differences);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l) {
      bp_vector left = sums[r][l], right;
      bp_vector *const at = to + l * line;
      if (r < rows) {
        bp_vector *const mirror = at + (m.to - 1 - b - r) * step;
        bp_mirror(m, left, differences[r][l], &left, &right);
        bp_put(mirror, right, add);
      }
      bp_put(at + (b + r) * step, left, add);
    }
}

BP_INLINE void bp_unfold_lines(bp_halves m, const bp_block *block, bp_vector *to, int step,
                               int line, int add, bp_prefetcher *ahead)
{
  const int last = BP_LAST_ROWS(m.to);
#pragma GCC unroll 4
  for (int b = 0; b < last; b += BP_BLOCK_ROWS)
    bp_store_block(m, block, b, BP_BLOCK_ROWS, 0, to, step, line, add, ahead);
  bp_store_block(m, block, last, m.to / 2 - last, m.to % 2, to, step, line, add, ahead);
}

/* to[b] (+)= sum_a M[b][a] from[a] along `count` lines; steps are from node to node, lines from line to
 * line. */
BP_INLINE void bp_contract_blocks(bp_halves m, const bp_vector *from, int from_step, int from_line,
                                  bp_vector *to, int to_step, int to_line, int count, int add,
                                  bp_prefetcher *ahead)
{
  int n = 0;
  for (; BP_BY_BLOCKS && n + BP_BLOCK_LINES <= count; n += BP_BLOCK_LINES) {
    bp_block lines;
    bp_fold_block(&lines, m.from, from + n * from_line, from_step, from_line);
    bp_unfold_lines(m, &lines, to + n * to_line, to_step, to_line, add, ahead);
  }
  for (; n < count; ++n)
    if (add)
      bp_contract_add(m, from + n * from_line, from_step, to + n * to_line, to_step, ahead);
    else
      bp_contract(m, from + n * from_line, from_step, to + n * to_line, to_step, ahead);
}

/* Rows that follow each other; `to` is not `from`. */
BP_INLINE void bp_contract_rows_by_blocks(bp_halves m, const bp_vector *from, bp_vector *to,
                                          int count, bp_prefetcher *ahead)
{
  bp_contract_blocks(m, from, 1, m.from, to, 1, m.to, count, 0, ahead);
}

/* ---- the metric along rows, by blocks ---- */

/* Rows of a tile: the derivative along the lines, the metric, sums and differences of the first flux. */
BP_INLINE void bp_metric_block(bp_halves d, const bp_factors *g, const bp_block *values, int b,
                               int rows, int middle, bp_vector *s, bp_vector *t, bp_block *flux,
                               bp_prefetcher *ahead)
{
  enum { G = 7 };
  const int n = d.from, next = BP_BLOCK_LINES * n;
  bp_block_rows sums, differences;
  bp_unfold_block(d, values, b, rows, middle, sums, differences);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l) {
      const int at = l * n + b + r, mirror = l * n + n - 1 - b - r;
      bp_vector left = sums[r][l], right;
      if (r == rows) {
        flux->even[b + r][l] = bp_metric(g + G * at, left, s + at, t + at);
        continue;
      }
      bp_prefetch_part(ahead, b + r, n / 2 * 2);
      if (BP_LANES != 4 || n < 16) { /* there they would push out what is needed first */
        bp_metric_soon(g + G * (next + at));
        bp_metric_soon(g + G * (next + mirror));
      }
      bp_mirror(d, left, differences[r][l], &left, &right);
      left = bp_metric(g + G * at, left, s + at, t + at);
      right = bp_metric(g + G * mirror, right, s + mirror, t + mirror);
      flux->even[b + r][l] = left + right;
      flux->odd[b + r][l] = left - right;
    }
}

/* The derivative's transpose and the mass term. */
BP_INLINE void bp_metric_back(bp_halves m, real lambda, const bp_factors *g, const bp_block *flux,
                              int b, int rows, int middle, bp_vector *u, bp_prefetcher *ahead)
{
  enum { G = 7 };
  const int n = m.to;
  bp_block_rows sums, differences;
  bp_unfold_block(m, flux, b, rows, middle, sums, differences);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l) {
      const int at = l * n + b + r, mirror = l * n + n - 1 - b - r;
      bp_vector left = sums[r][l], right;
      if (r < rows) {
        bp_prefetch_part(ahead, n / 2 + b + r, n / 2 * 2);
        bp_mirror(m, left, differences[r][l], &left, &right);
        u[mirror] = right + lambda * BP_FACTOR(g[G * mirror + 6]) * u[mirror];
      }
      u[at] = left + lambda * BP_FACTOR(g[G * at + 6]) * u[at];
    }
}

/* bp_metric_row for the rows of a slab of n * n points. */
BP_INLINE void bp_metric_rows(bp_halves d, bp_halves transposed, real lambda, const bp_factors *g,
                              bp_vector *u, bp_vector *s, bp_vector *t, bp_prefetcher *ahead)
{
  const int n = d.from, last = BP_LAST_ROWS(n);
  int j = 0;
  for (; BP_BY_BLOCKS && j + BP_BLOCK_LINES <= n; j += BP_BLOCK_LINES) {
    const bp_factors *const gj = g + 7 * n * j;
    bp_block values, flux;
    bp_fold_block(&values, n, u + n * j, 1, n);
#pragma GCC unroll 4
    for (int b = 0; b < last; b += BP_BLOCK_ROWS)
      bp_metric_block(d, gj, &values, b, BP_BLOCK_ROWS, 0, s + n * j, t + n * j, &flux, ahead);
    bp_metric_block(d, gj, &values, last, n / 2 - last, n % 2, s + n * j, t + n * j, &flux, ahead);
#pragma GCC unroll 4
    for (int b = 0; b < last; b += BP_BLOCK_ROWS)
      bp_metric_back(transposed, lambda, gj, &flux, b, BP_BLOCK_ROWS, 0, u + n * j, ahead);
    bp_metric_back(transposed, lambda, gj, &flux, last, n / 2 - last, n % 2, u + n * j, ahead);
  }
  for (; j < n; ++j)
    bp_metric_row(d, transposed, lambda, g + 7 * n * j, u + n * j, s + n * j, t + n * j, ahead);
}

#endif
