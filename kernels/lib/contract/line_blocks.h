/* line_blocks.h -- even-odd contractions of several lines at once, for instruction sets with 16 registers.
 *
 * There a line's sums and differences do not stay in registers, and each product loads two numbers: an entry of the
 * matrix and one of the line. BP_BLOCK_LINES lines and BP_BLOCK_ROWS rows of the matrix at a time load less
 * than one, which pays at N = 15. With 32 registers, whose products broadcast entries by themselves, lines are
 * best one by one. */
#ifndef BP_KERNELS_LINE_BLOCKS_H
#define BP_KERNELS_LINE_BLOCKS_H

#include "lib/contract/even_odd.h"

enum { BP_BLOCK_LINES = 4, BP_BLOCK_ROWS = 2, BP_BY_BLOCKS = BP_LANES < 8 && BP_N >= 15 };

/* Sums and differences of the lines. */
typedef struct {
  bp_vector even[BP_HALF][BP_BLOCK_LINES], odd[BP_HALF][BP_BLOCK_LINES];
} bp_block;

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
BP_INLINE void bp_block_dot(int rows, const double *row, int step, int count,
                            const bp_vector x[][BP_BLOCK_LINES],
                            bp_vector sums[BP_BLOCK_ROWS][BP_BLOCK_LINES])
{
#pragma GCC unroll 4
  for (int b = 0; b < rows; ++b)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l)
      sums[b][l] = row[b * step] * x[0][l];
#pragma GCC unroll 1
  for (int a = 1; a < count; ++a) {
    bp_vector line[BP_BLOCK_LINES];
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l)
      line[l] = bp_load(&x[a][l]);
#pragma GCC unroll 4
    for (int b = 0; b < rows; ++b) {
      const double entry = row[b * step + a];
#pragma GCC unroll 4
      for (int l = 0; l < BP_BLOCK_LINES; ++l)
        sums[b][l] += entry * line[l];
    }
  }
}

/* Rows b .. b + rows - 1 of M, all below to/2, times the lines, and those that mirror them. */
BP_INLINE void bp_unfold_block(bp_halves m, const bp_block *block, int b, int rows,
                               bp_vector left[BP_BLOCK_ROWS][BP_BLOCK_LINES],
                               bp_vector right[BP_BLOCK_ROWS][BP_BLOCK_LINES])
{
  const int evens = (m.from + 1) / 2;
  const double *row = m.table + b * m.from;
  bp_vector sums[BP_BLOCK_ROWS][BP_BLOCK_LINES], differences[BP_BLOCK_ROWS][BP_BLOCK_LINES];
  bp_block_dot(rows, row, m.from, evens, block->even, sums);
  bp_block_dot(rows, row + evens, m.from, m.from / 2, block->odd, differences);
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l) {
      const bp_vector sum = sums[r][l], difference = differences[r][l];
      left[r][l] = sum + difference;
      right[r][l] = m.sign > 0 ? sum - difference : difference - sum;
    }
}

/* The middle row, where `to` is odd. */
BP_INLINE void bp_middle_block(bp_halves m, const bp_block *block,
                               bp_vector sums[BP_BLOCK_ROWS][BP_BLOCK_LINES])
{
  const int evens = (m.from + 1) / 2;
  const double *row = m.table + m.to / 2 * m.from;
  if (m.sign > 0)
    bp_block_dot(1, row, m.from, evens, block->even, sums);
  else
    bp_block_dot(1, row + evens, m.from, m.from / 2, block->odd, sums);
}

BP_INLINE void bp_store_block(bp_halves m, const bp_block *block, int b, int rows, bp_vector *to,
                              int step, int line)
{
  bp_vector left[BP_BLOCK_ROWS][BP_BLOCK_LINES], right[BP_BLOCK_ROWS][BP_BLOCK_LINES];
  bp_unfold_block(m, block, b, rows, left, right);
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l) {
      to[(b + r) * step + l * line] = left[r][l];
      to[(m.to - 1 - b - r) * step + l * line] = right[r][l];
    }
}

BP_INLINE void bp_unfold_lines(bp_halves m, const bp_block *block, bp_vector *to, int step,
                               int line)
{
  const int half = m.to / 2, whole = half / BP_BLOCK_ROWS * BP_BLOCK_ROWS;
#pragma GCC unroll 1
  for (int b = 0; b < whole; b += BP_BLOCK_ROWS)
    bp_store_block(m, block, b, BP_BLOCK_ROWS, to, step, line);
  if (whole < half)
    bp_store_block(m, block, whole, 1, to, step, line);
  if (m.to % 2) {
    bp_vector sums[BP_BLOCK_ROWS][BP_BLOCK_LINES];
    bp_middle_block(m, block, sums);
    for (int l = 0; l < BP_BLOCK_LINES; ++l)
      to[half * step + l * line] = sums[0][l];
  }
}

/* Rows that follow each other; `to` is not `from`. */
BP_INLINE void bp_contract_rows_by_blocks(bp_halves m, const bp_vector *from, bp_vector *to,
                                          int count)
{
  int n = 0;
  for (; BP_BY_BLOCKS && n + BP_BLOCK_LINES <= count; n += BP_BLOCK_LINES) {
    bp_block rows;
    bp_fold_block(&rows, m.from, from + n * m.from, 1, m.from);
    bp_unfold_lines(m, &rows, to + n * m.to, 1, m.to);
  }
  bp_contract_rows(m, from + n * m.from, to + n * m.to, count - n, NULL);
}

#endif
