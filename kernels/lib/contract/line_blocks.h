/* line_blocks.h -- even-odd contractions of several lines at once, for instruction sets with 16 registers.
 *
 * There a line's sums and differences do not stay in registers, and each product loads two numbers: an entry of the
 * matrix and one of the line. BP_BLOCK_LINES lines and BP_BLOCK_ROWS rows of the matrix at a time load 3/4 of a
 * number, which pays where lines are long. Loops over a line stay loops: unrolled, they are slower. With 32
 * registers, whose products broadcast entries by themselves, lines are best one by one. */
#ifndef BP_KERNELS_LINE_BLOCKS_H
#define BP_KERNELS_LINE_BLOCKS_H

#include "lib/contract/even_odd.h"

enum {
  BP_BLOCK_LINES = BP_LANES == 2 ? 4 : 2, /* an entry takes two instructions to broadcast */
  BP_BLOCK_ROWS = 8 / BP_BLOCK_LINES,
  BP_BY_BLOCKS = BP_LANES < 8 && BP_N >= (BP_LANES == 2 ? 9 : 12)
};

/* Sums and differences of the lines. */
typedef struct {
  bp_vector even[BP_HALF][BP_BLOCK_LINES], odd[BP_HALF][BP_BLOCK_LINES];
} bp_block;

/* Of a few rows of the matrix, and one more where that is the middle row. */
typedef bp_vector bp_block_rows[BP_BLOCK_ROWS + 1][BP_BLOCK_LINES];

/* An entry of the matrix in all lanes. */
BP_INLINE bp_vector bp_broadcast(const double *entry)
{
  bp_vector x = *entry - (bp_vector){0};
#if defined __x86_64__
  __asm__("" : "+v"(x));
#endif
  return x;
}

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

/* Rows b .. b + rows - 1 of M, all below to/2, times the lines, and those that mirror them. `middle` is 1
 * where the middle row is next: it comes behind them in `left`. */
BP_INLINE void bp_unfold_block(bp_halves m, const bp_block *block, int b, int rows, int middle,
                               bp_block_rows left, bp_block_rows right)
{
  const int evens = (m.from + 1) / 2;
  const double *row = m.table + b * m.from;
  bp_block_rows sums, differences;
  bp_block_dot(rows + (m.sign < 0 ? middle : 0), row + evens, m.from, m.from / 2, block->odd,
               differences);
  bp_block_dot(rows + (m.sign > 0 ? middle : 0), row, m.from, evens, block->even, sums);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l)
      if (r < rows) {
        const bp_vector sum = sums[r][l], difference = differences[r][l];
        left[r][l] = sum + difference;
        right[r][l] = m.sign > 0 ? sum - difference : difference - sum;
      } else
        left[r][l] = m.sign > 0 ? sums[r][l] : differences[r][l];
}

BP_INLINE void bp_store_block(bp_halves m, const bp_block *block, int b, int rows, int middle,
                              bp_vector *to, int step, int line)
{
  bp_block_rows left, right;
  bp_unfold_block(m, block, b, rows, middle, left, right);
#pragma GCC unroll 5
  for (int r = 0; r < rows + middle; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < BP_BLOCK_LINES; ++l) {
      to[(b + r) * step + l * line] = left[r][l];
      if (r < rows)
        to[(m.to - 1 - b - r) * step + l * line] = right[r][l];
    }
}

/* Where the last rows of the upper half begin; the middle row comes with them. */
#define BP_LAST_ROWS(to) (((to) / 2 - 1) / BP_BLOCK_ROWS * BP_BLOCK_ROWS)

BP_INLINE void bp_unfold_lines(bp_halves m, const bp_block *block, bp_vector *to, int step,
                               int line)
{
  const int last = BP_LAST_ROWS(m.to);
#pragma GCC unroll 4
  for (int b = 0; b < last; b += BP_BLOCK_ROWS)
    bp_store_block(m, block, b, BP_BLOCK_ROWS, 0, to, step, line);
  bp_store_block(m, block, last, m.to / 2 - last, m.to % 2, to, step, line);
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
