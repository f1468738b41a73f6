/* element_rows.h -- even-odd contractions of one element at a time, with vectors along its rows.
 *
 * A row is two halves of BP_ROW_HALF nodes, one from its left end, one from its right end. Where they overlap, both
 * compute the same. Folding a row, the right half is reversed.
 *
 * Lines along j and k: a tile is a few rows of the matrix times a few vectors of folded lines. Entries of the matrix
 * are broadcast. Lines along i: a tile is a few rows of the slab times half a row of the matrix. Folded nodes are
 * broadcast, so that nothing is transposed.
 *
 * Between the steps of a tile no registers are in use but the sums, and there is time for loads and stores. These are
 * the tile's slots: what is independent of the tile is done there. */
#ifndef BP_KERNELS_ELEMENT_ROWS_H
#define BP_KERNELS_ELEMENT_ROWS_H

#include "lib/contract/registers.h"

enum {
  BP_ROW_HALF = 8, /* 13 to 16 nodes in a row */
  BP_HALF_VECTORS = BP_ROW_HALF / BP_LANES,
  BP_ROW_VECTORS = 2 * BP_HALF_VECTORS,
  BP_TILE_ROWS = 5, /* at most */
  BP_TILE_COLUMNS = 4,
  BP_EVENS = (BP_NQ + 1) / 2,
  BP_ODDS = BP_NQ / 2,
};

/* The parts of M that act on sums and on differences of a line's nodes. Row b is the sum of both results; row
 * nq-1-b is that of the differences less that of the sums. */
typedef struct {
  real lines[2][BP_ROW_HALF][BP_ROW_HALF];         /* [odd][a][b] */
  bp_vector rows[2][BP_ROW_HALF][BP_HALF_VECTORS]; /* [odd][a][b] */
} bp_row_matrix;

/* Sums, then differences: of BP_ROW_HALF pairs of nodes, a vector of columns each. */
typedef bp_vector bp_slab_lines[2][BP_ROW_HALF][BP_ROW_VECTORS];
/* Rows a and nq-1-a next to each other. */
typedef bp_vector bp_slab_rows[2 * BP_ROW_HALF][2][BP_HALF_VECTORS];

#define BP_ANY(p)  (*(bp_unaligned *)(p))
#define BP_READ(p) (*(const bp_unaligned *)(p))

BP_INLINE bp_vector bp_load_any(const real *from)
{
  bp_vector x = BP_READ(from);
#if defined __x86_64__
  __asm__("" : "+v"(x));
#endif
  return x;
}

BP_INLINE bp_vector bp_reverse(bp_vector x)
{
#if BP_LANES == 2
  return __builtin_shufflevector(x, x, 1, 0);
#elif BP_LANES == 4
  return __builtin_shufflevector(x, x, 3, 2, 1, 0);
#else
  return __builtin_shufflevector(x, x, 7, 6, 5, 4, 3, 2, 1, 0);
#endif
}

/* M[b][a] is m[b * row_step + a * column_step]; M[nq-1-b][nq-1-a] = -M[b][a]. */
BP_INLINE void bp_row_matrix_make(bp_row_matrix *matrix, const real *m, int row_step,
                                  int column_step)
{
  for (int b = 0; b < BP_ROW_HALF; ++b)
    for (int a = 0; a < BP_ROW_HALF; ++a) {
      const real left = m[b * row_step + a * column_step];
      const real right = m[b * row_step + (BP_NQ - 1 - a) * column_step];
      const real even = 0.5 * (left + right), odd = 0.5 * (left - right);
      const int is_middle = BP_NQ % 2 && a == BP_NQ / 2; /* rows add it to itself */
      matrix->lines[0][a][b] = even;
      matrix->lines[1][a][b] = odd;
      ((real *)matrix->rows[0][a])[b] = is_middle ? 0.5 * even : even;
      ((real *)matrix->rows[1][a])[b] = odd;
    }
}

/* ---- slots ----
 *
 * slot(context, s) stands behind step s of a tile, or of several that belong together. It does its part of what is to
 * be done in `slots` of them: of `count` things those from bp_part(count, s, slots) to bp_part(count, s + 1, slots). */
typedef void bp_slot(const void *context, int s);

BP_INLINE int bp_part(int count, int s, int slots)
{
  return s * count / slots;
}

/* Cache lines from memory into the second-level cache. Without the statement at its end, GCC takes a slot
 * that does nothing else for a function without effects, and removes it. */
BP_INLINE void bp_slot_far(const real *from, int lines, int s, int slots)
{
#pragma GCC unroll 8
  for (int n = bp_part(lines, s, slots); n < bp_part(lines, s + 1, slots); ++n)
    __builtin_prefetch(from + BP_LINE * n, 0, 2);
  __asm__ volatile("");
}

/* From there into the first-level cache; `step` from line to line. */
BP_INLINE void bp_slot_near(const real *from, int step, int lines, int s, int slots)
{
#pragma GCC unroll 8
  for (int n = bp_part(lines, s, slots); n < bp_part(lines, s + 1, slots); ++n)
    __builtin_prefetch(from + step * n);
  __asm__ volatile("");
}

/* Keeps GCC from moving loads and stores out of a slot. */
BP_INLINE void bp_do_slot(bp_slot *slot, const void *context, int s)
{
  __asm__ volatile("" ::: "memory");
  slot(context, s);
  __asm__ volatile("" ::: "memory");
}

/* ---- tiles ---- */

/* A tile of lines: sums[r][c], rows b .. b + rows - 1 of the matrix. In each step registers hold the entries
 * if there are fewer of them than columns, else the nodes. */
BP_INLINE void bp_tile_sums(const real (*matrix)[BP_ROW_HALF], int b, int rows, int count,
                            int columns, const bp_vector *from, int step, bp_slot *slot,
                            const void *context, int s, bp_vector (*sums)[BP_TILE_COLUMNS])
{
#pragma GCC unroll 8
  for (int a = 0; a < count; ++a) {
    bp_vector entries[BP_TILE_ROWS], x[BP_TILE_COLUMNS];
#pragma GCC unroll 8
    for (int r = 0; r < rows && rows < columns; ++r)
      entries[r] = bp_broadcast(matrix[a] + b + r);
#pragma GCC unroll 4
    for (int c = 0; c < columns && rows >= columns; ++c)
      x[c] = bp_load(from + a * step + c);
#pragma GCC unroll 16
    for (int n = 0; n < rows * columns; ++n) {
      const int r = rows < columns ? n % rows : n / columns;
      const int c = rows < columns ? n / rows : n % columns;
      if (rows < columns && r == 0)
        x[c] = bp_load(from + a * step + c);
      if (rows >= columns && c == 0)
        entries[r] = bp_broadcast(matrix[a] + b + r);
      sums[r][c] = a ? sums[r][c] + entries[r] * x[c] : entries[r] * x[c];
    }
    bp_do_slot(slot, context, s + a);
  }
}

/* What sums or differences give, rows 0 .. all - 1, by tiles of up to `tile` rows: from from[a], a < count,
 * to to[b], with `step` vectors from node to node. The first slot is s. */
BP_INLINE void bp_tile_half(const real (*matrix)[BP_ROW_HALF], int all, int count, int tile,
                            int columns, const bp_vector *from, bp_vector *to, int step,
                            bp_slot *slot, const void *context, int s)
{
  const int tiles = (all + tile - 1) / tile;
#pragma GCC unroll 4
  for (int t = 0; t < tiles; ++t) {
    const int b = bp_part(all, t, tiles), rows = bp_part(all, t + 1, tiles) - b;
    bp_vector sums[BP_TILE_ROWS][BP_TILE_COLUMNS];
    bp_tile_sums(matrix, b, rows, count, columns, from, step, slot, context, s + t * count, sums);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < columns; ++c)
        bp_put_down(to + (b + r) * step + c, sums[r][c]);
  }
}

/* Rows of a slab, `rows` of them, in place. */
BP_INLINE void bp_tile_rows(const bp_row_matrix *matrix, int rows,
                            bp_vector (*x)[2][BP_HALF_VECTORS], bp_slot *slot, const void *context)
{
  int s = 0;
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; ++odd) {
    const int count = odd ? BP_ODDS : BP_EVENS;
    bp_vector sums[BP_TILE_ROWS][BP_HALF_VECTORS];
#pragma GCC unroll 8
    for (int a = 0; a < count; ++a) {
      bp_vector entries[BP_HALF_VECTORS];
#pragma GCC unroll 4
      for (int l = 0; l < BP_HALF_VECTORS; ++l)
        entries[l] = bp_load(&matrix->rows[odd][a][l]);
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        const bp_vector value = bp_broadcast((const real *)x[r][odd] + a);
#pragma GCC unroll 4
        for (int l = 0; l < BP_HALF_VECTORS; ++l)
          sums[r][l] = a ? sums[r][l] + value * entries[l] : value * entries[l];
      }
      bp_do_slot(slot, context, s++);
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int l = 0; l < BP_HALF_VECTORS; ++l)
        bp_put_down(&x[r][odd][l], sums[r][l]);
  }
}

/* ---- folding ---- */

/* Where column c of a slab's lines is in a row. */
BP_INLINE int bp_column(int c)
{
  return c < BP_HALF_VECTORS ? BP_LANES * c : BP_NQ - BP_LANES * (BP_ROW_VECTORS - c);
}

/* A row's vectors l of both halves. */
BP_INLINE void bp_fold_row(bp_vector left, bp_vector right, bp_vector (*x)[BP_HALF_VECTORS], int l)
{
  const bp_vector mirror = bp_reverse(right);
  x[0][l] = left + mirror;
  x[1][l] = left - mirror;
}

BP_INLINE void bp_unfold_row(bp_vector (*x)[BP_HALF_VECTORS], int l, bp_vector *left,
                             bp_vector *right)
{
  const bp_vector even = bp_load(&x[0][l]), odd = bp_load(&x[1][l]);
  *left = odd + even;
  *right = bp_reverse(odd - even);
}

/* Nodes a and nq-1-a of a line, its sums at `x`, its differences BP_ROW_HALF * step vectors behind. */
BP_INLINE void bp_fold_pair_of(bp_vector low, bp_vector high, bp_vector *x, int step)
{
  x[0] = low + high;
  x[BP_ROW_HALF * step] = low - high;
}

BP_INLINE void bp_unfold_pair_of(const bp_vector *x, int step, bp_vector *low, bp_vector *high)
{
  const bp_vector even = bp_load(x), odd = bp_load(x + BP_ROW_HALF * step);
  *low = odd + even;
  *high = odd - even;
}

#endif
