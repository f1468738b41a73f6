/* element_planes.h -- contractions along k of one element, a few vectors of columns a tile.
 *
 * A tile's lines are folded into a buffer, in the slots of the tile before. The sums are contracted into another
 * buffer; the differences meet the results there, and both leave. */
#ifndef BP_KERNELS_ELEMENT_PLANES_H
#define BP_KERNELS_ELEMENT_PLANES_H

#include "lib/contract/element_rows.h"

enum {
  BP_PLANE_NODES = BP_NQ * BP_NQ,
  /* A tile: rows of the matrix, and vectors of columns: two cache lines where planes are whole ones. */
  BP_PASS_ROWS = BP_NQ % 8 ? 4 : 3,
  BP_PASS_COLUMNS = BP_NQ % 8 ? 3 : 4,
  BP_SUMS_SLOTS = (BP_ODDS + BP_PASS_ROWS - 1) / BP_PASS_ROWS * BP_EVENS,
  BP_DIFFERENCES_TILES = (BP_EVENS + BP_PASS_ROWS - 1) / BP_PASS_ROWS,
  BP_PASS_SLOTS = BP_SUMS_SLOTS + BP_DIFFERENCES_TILES * BP_ODDS,
  BP_FAR_PASS =
      8 * BP_PASS_COLUMNS, /* cache lines that are prefetched from memory in a tile's slots */
};

typedef bp_vector bp_pass_lines[2][BP_ROW_HALF][BP_PASS_COLUMNS]; /* like bp_slab_lines */

/* The buffers; folded lines in turn. */
typedef struct {
  bp_pass_lines folded[2];
  bp_vector contracted[BP_ROW_HALF][BP_PASS_COLUMNS];
} bp_planes;

/* Columns of planes: where they come from, where they go, and what is added to them, or NULL, with the steps
 * of `from`. Where `streams`, a tile's columns are whole cache lines, which go past the caches. */
typedef struct {
  const real *from, *add;
  real *to;
  int from_step, to_step, streams;
} bp_columns;

typedef struct {
  bp_columns next;
  bp_vector *folded; /* of the next tile */
  const real *far;
} bp_beside_pass;

BP_INLINE void bp_fold_column(const bp_columns *at, int a, int c, bp_vector *x)
{
  const bp_vector low = bp_load_any(at->from + at->from_step * a + BP_LANES * c);
  if (a == BP_ODDS)
    x[BP_PASS_COLUMNS * a + c] = low;
  else
    bp_fold_pair_of(low, bp_load_any(at->from + at->from_step * (BP_NQ - 1 - a) + BP_LANES * c),
                    x + BP_PASS_COLUMNS * a + c, BP_PASS_COLUMNS);
}

BP_INLINE void bp_columns_in_slot(const void *context, int s)
{
  const bp_beside_pass *b = context;
  const int pieces = BP_EVENS * BP_PASS_COLUMNS;
  bp_slot_far(b->far, BP_FAR_PASS, s, BP_PASS_SLOTS);
#pragma GCC unroll 8
  for (int n = bp_part(pieces, s, BP_PASS_SLOTS); n < bp_part(pieces, s + 1, BP_PASS_SLOTS); ++n)
    bp_fold_column(&b->next, n / BP_PASS_COLUMNS, n % BP_PASS_COLUMNS, b->folded);
}

BP_INLINE void bp_column_leaves(const bp_columns *at, int a, int c, bp_vector x)
{
  real *to = at->to + at->to_step * a + BP_LANES * c;
  if (at->add)
    x += BP_READ(at->add + at->from_step * a + BP_LANES * c);
  if (at->streams)
    bp_stream(to, x);
  else
    BP_ANY(to) = x;
}

/* Rows b .. b + rows - 1 of the differences' results. */
BP_INLINE void bp_unfold_tile(const bp_columns *at, int b, int rows,
                              bp_vector (*sums)[BP_TILE_COLUMNS],
                              bp_vector (*contracted)[BP_PASS_COLUMNS])
{
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < BP_PASS_COLUMNS; ++c) {
      const int a = b + r;
      if (a == BP_ODDS) {
        bp_column_leaves(at, a, c, sums[r][c]);
        continue;
      }
      const bp_vector even = bp_load(contracted[a] + c);
      bp_column_leaves(at, a, c, sums[r][c] + even);
      bp_column_leaves(at, BP_NQ - 1 - a, c, sums[r][c] - even);
    }
}

/* The last tile ends with the plane, wherever it begins. */
BP_INLINE bp_columns bp_columns_from(bp_columns all, int n)
{
  const int last = BP_PLANE_NODES - BP_PASS_COLUMNS * BP_LANES, at = n < last ? n : last;
  return (bp_columns){all.from + at, all.add ? all.add + at : NULL,
                      all.to + at,   all.from_step,
                      all.to_step,   all.streams};
}

/* Contracts all columns; `to` is neither `from` nor `add`. `far` is prefetched meanwhile, and moves on. */
BP_INLINE void bp_contract_planes(bp_planes *m, const bp_row_matrix *matrix, bp_columns all,
                                  const real **far)
{
  int turn = 0;
#pragma GCC unroll 32
  for (int n = 0; n < BP_EVENS * BP_PASS_COLUMNS; ++n)
    bp_fold_column(&all, n / BP_PASS_COLUMNS, n % BP_PASS_COLUMNS, m->folded[0][0][0]);
#pragma GCC unroll 1
  for (int n = 0; n < BP_PLANE_NODES; n += BP_PASS_COLUMNS * BP_LANES) {
    const bp_columns at = bp_columns_from(all, n);
    const bp_beside_pass beside = {bp_columns_from(all, n + BP_PASS_COLUMNS * BP_LANES),
                                   m->folded[!turn][0][0], *far};
    bp_tile_half(matrix->lines[0], BP_ODDS, BP_EVENS, BP_PASS_ROWS, BP_PASS_COLUMNS,
                 m->folded[turn][0][0], m->contracted[0], BP_PASS_COLUMNS, bp_columns_in_slot,
                 &beside, 0);
#pragma GCC unroll 4
    for (int t = 0; t < BP_DIFFERENCES_TILES; ++t) {
      const int b = bp_part(BP_EVENS, t, BP_DIFFERENCES_TILES);
      const int rows = bp_part(BP_EVENS, t + 1, BP_DIFFERENCES_TILES) - b;
      bp_vector sums[BP_TILE_ROWS][BP_TILE_COLUMNS];
      bp_tile_sums(matrix->lines[1], b, rows, BP_ODDS, BP_PASS_COLUMNS, m->folded[turn][1][0],
                   BP_PASS_COLUMNS, bp_columns_in_slot, &beside, BP_SUMS_SLOTS + t * BP_ODDS, sums);
      bp_unfold_tile(&at, b, rows, sums, m->contracted);
    }
    *far += BP_LINE * BP_FAR_PASS;
    turn = !turn;
  }
}

#endif
