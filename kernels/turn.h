/* turn.h -- tiles that turn: a product from the left, with the matrix where pencils were, contracts along the
 * positions, as others do, but leaves what were pencils as positions. So the next contraction, along the other
 * direction, takes place in the same registers.
 *
 * For that the pencils of a tile are g and their mirror images, and positions are counted like pencils. */
#ifndef BP_KERNELS_TURN_H
#define BP_KERNELS_TURN_H

#define TILE_TURNS
#include "tile.h"

/* A whole matrix from points to nodes: rows g and its mirror image; columns 2q and 2q + 1, or their mirror
 * images. */
typedef struct {
  double low[4], high[4];
} tile_back_turner;

BP_DEVICE tile_back_turner tile_back_turner_of(tile_kind kind)
{
  const int q = bp_lane() % 4, output = bp_lane() / 4;
  tile_back_turner t;
  BP_UNROLL
  for (int m = 0; m < 2; ++m) {
    const double even = tile_entry(kind, true, false, output, TILE_PLACE(q, m));
    const double odd = tile_entry(kind, true, true, output, TILE_PLACE(q, m));
    const double mirror = kind == TILE_VALUE ? even - odd : odd - even;
    t.low[2 * m] = bp_keep(even + odd);
    t.low[2 * m + 1] = bp_keep(mirror);
    t.high[2 * m] = bp_keep(even - odd);
    t.high[2 * m + 1] = bp_keep(kind == TILE_VALUE ? even + odd : -even - odd);
  }
  return t;
}

/* sums[h] += the turned product with pencils h */
BP_DEVICE void tile_turn_add(const tile_back_turner *t, const tile_values *x, double sums[2][4])
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    bp_mma_16x8x8(sums[h], t->low, x->low + 2 * h);
    bp_mma_16x8x8(sums[h], t->high, x->high + 2 * h);
  }
}

BP_DEVICE void tile_turned(double sums[2][4], tile_values *y)
{
  BP_UNROLL
  for (int n = 0; n < 4; ++n) {
    y->low[n] = sums[0][n];
    y->high[n] = sums[1][n];
  }
}

BP_DEVICE void tile_turn_back(const tile_back_turner *t, const tile_values *x, tile_values *y)
{
  double sums[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  tile_turn_add(t, x, sums);
  tile_turned(sums, y);
}

/* Even halves of I and of D I, one above the other, and odd halves. */
typedef struct {
  double even[4], odd[4];
} tile_turner;

BP_DEVICE tile_turner tile_turner_of()
{
  const int q = bp_lane() % 4, output = bp_lane() / 4;
  tile_turner t;
  BP_UNROLL
  for (int m = 0; m < 2; ++m) {
    const int input = TILE_PLACE(q, m);
    t.even[2 * m] = bp_keep(tile_entry(TILE_VALUE, false, false, output, input));
    t.even[2 * m + 1] = bp_keep(tile_entry(TILE_DERIVATIVE, false, false, output, input));
    t.odd[2 * m] = bp_keep(tile_entry(TILE_VALUE, false, true, output, input));
    t.odd[2 * m + 1] = bp_keep(tile_entry(TILE_DERIVATIVE, false, true, output, input));
  }
  return t;
}

/* The turned values and, if that is not 0, derivatives. */
BP_DEVICE void tile_turn(const tile_turner *t, const tile_halves *x, tile_values *value,
                         tile_values *derivative)
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    double e[4] = {0, 0, 0, 0}, o[4] = {0, 0, 0, 0};
    double *to = h ? value->high : value->low;
    bp_mma_16x8x8(e, t->even, x->even + 2 * h);
    bp_mma_16x8x8(o, t->odd, x->odd + 2 * h);
    BP_UNROLL
    for (int m = 0; m < 2; ++m) {
      to[m] = e[m] + o[m];
      to[2 + m] = e[m] - o[m];
      if (derivative) {
        double *d = h ? derivative->high : derivative->low;
        d[m] = o[2 + m] + e[2 + m];
        d[2 + m] = o[2 + m] - e[2 + m];
      }
    }
  }
}

#endif
