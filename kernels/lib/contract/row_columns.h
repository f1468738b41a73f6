/* row_columns.h -- contractions along k with vectors within an element, for 14 to 16 nodes.
 *
 * Sixteen neighbours of a plane go at a time, from nodes in place to planes of points, and back.
 *
 * Of the matrix's rows, pairs that mirror each other are three tiles of nearly the same size. A middle row goes
 * with the last tile. */
#ifndef BP_KERNELS_ROW_COLUMNS_H
#define BP_KERNELS_ROW_COLUMNS_H

#include "lib/contract/row_tiles.h"

enum {
  BP_PAIRS_Q = BP_NQ / 2,
  BP_HALF_Q = (BP_NQ + 1) / 2,
  BP_PAIRS_C = BP_NC / 2,
  BP_HALF_C = (BP_NC + 1) / 2,
  BP_ROW = 16,
  BP_ROW_STREAMS = BP_NQ % 8 == 0,
  BP_ROW_NODES = BP_NQ * BP_NQ,
  BP_ROW_PLANE =
      8 * ((BP_ROW_NODES + 7) / 8 | 1), /* columns do not fall into one set of the cache */
};

/* Half of the entries for sums (even) and differences (odd): in[q][c], out[c][q]; i_in: the even ones where
 * the sum of the middle node is twice its value. middle: those of the ninth point. */
typedef struct {
  double even_in[BP_HALF_Q][12], odd_in[BP_PAIRS_Q][8], i_in[BP_HALF_Q][8];
  double even_out[BP_HALF_C][8], odd_out[BP_PAIRS_C][8], middle[8];
} bp_row_tables;

BP_INLINE void bp_row_make_tables(const double *I, bp_row_tables *t)
{
  *t = (bp_row_tables){0};
  for (int c = 0; c < BP_HALF_C; ++c)
    for (int q = 0; q < 8; ++q) {
      const double left = I[c * BP_NQ + q], right = I[c * BP_NQ + BP_NQ - 1 - q];
      t->even_out[c][q] = 0.5 * (left + right);
      if (c < BP_PAIRS_C)
        t->odd_out[c][q] = 0.5 * (left - right);
      if (q < BP_HALF_Q)
        t->even_in[q][c] = t->even_out[c][q];
      if (q < BP_PAIRS_Q && c < 8)
        t->odd_in[q][c] = 0.5 * (left - right);
      if (q < BP_HALF_Q && c < 8)
        t->i_in[q][c] = q < BP_PAIRS_Q ? t->even_out[c][q] : 0.5 * left;
      if (c == 8)
        t->middle[q] = q < BP_PAIRS_Q ? t->even_out[c][q] : 0;
    }
}

#define BP_ROW_COUNT(t, pairs) (((pairs) + 2 - (t)) / 3)
#define BP_ROW_FIRST(t, pairs)                                                                     \
  ((t) == 0 ? 0 : (t) == 1 ? BP_ROW_COUNT(0, pairs) : (pairs)-BP_ROW_COUNT(2, pairs))
#define BP_ROW_MIDDLE(t, n) ((t) == 2 && (n) % 2)

/* One way along k: n_from values of a line make n_to. The tables begin with the entries of the first row. */
typedef struct {
  int n_from, n_to, from_step, to_step, even_pitch, streams;
  const double *even, *odd;
} bp_row_way;

/* From nodes to points. */
BP_INLINE bp_row_way bp_row_in(const bp_row_tables *m)
{
  return (bp_row_way){BP_NQ, BP_NC, BP_ROW_NODES, BP_ROW_PLANE, 12, 0, m->even_in[0], m->odd_in[0]};
}

/* And back: past the caches where a row is whole cache lines. */
BP_INLINE bp_row_way bp_row_out(const bp_row_tables *m)
{
  return (bp_row_way){BP_NC, BP_NQ,          BP_ROW_PLANE,   BP_ROW_NODES,
                      8,     BP_ROW_STREAMS, m->even_out[0], m->odd_out[0]};
}

BP_INLINE void bp_columns_store(double *to, bp_four x, int streams)
{
  if (streams)
    bp_four_stream(to, x);
  else
    bp_four_store(to, x);
}

/* Tile t of lines. */
BP_INLINE void bp_columns(int t, int lines, bp_row_way m, const double *from, double *folded,
                          double *to)
{
  const int half = m.n_to / 2, b = BP_ROW_FIRST(t, half), pairs = BP_ROW_COUNT(t, half),
            evens = pairs + BP_ROW_MIDDLE(t, m.n_to), count = (m.n_from + 1) / 2;
  double *const differences = folded + BP_ROW * count;
  bp_row_tile even, odd, sums;
  if (t == 0)
    bp_row_contract_folding(evens, lines, m.n_from, 1, m.even + b, m.even_pitch, from, m.from_step,
                            16, folded, sums);
  else
    bp_row_contract(evens, lines, count, m.even + b, m.even_pitch, folded, sums);
  bp_row_put_down(pairs, lines, sums, even);
#pragma GCC unroll 4
  for (int l = 0; l < lines && evens > pairs; ++l)
    bp_columns_store(to + (b + pairs) * m.to_step + 4 * l, sums[pairs][l], m.streams);
  if (t == 0)
    bp_row_contract_folding(pairs, lines, m.n_from, -1, m.odd + b, 8, from, m.from_step, 16,
                            differences, odd);
  else
    bp_row_contract(pairs, lines, m.n_from / 2, m.odd + b, 8, differences, odd);
#pragma GCC unroll 3
  for (int r = 0; r < pairs; ++r)
#pragma GCC unroll 2
    for (int l = 0; l < lines; l += 2) { /* a cache line at a time */
      const int two = l + 1 < lines;
      double *const front = to + (b + r) * m.to_step + 4 * l;
      double *const back = to + (m.n_to - 1 - b - r) * m.to_step + 4 * l;
      const bp_four x = bp_four_kept(even[r][l]), y = two ? bp_four_kept(even[r][l + 1]) : x;
      bp_columns_store(front, x + odd[r][l], m.streams);
      if (two)
        bp_columns_store(front + 4, y + odd[r][l + 1], m.streams);
      bp_columns_store(back, x - odd[r][l], m.streams);
      if (two)
        bp_columns_store(back + 4, y - odd[r][l + 1], m.streams);
    }
}

/* A third of what the next columns read, into the first-level cache. */
BP_INLINE void bp_columns_soon(int t, const double *from, int step, int count)
{
#pragma GCC unroll 6
  for (int k = t; k < count; k += 3) {
    __builtin_prefetch(from + k * step);
    __builtin_prefetch(from + k * step + 8);
  }
}

#endif
