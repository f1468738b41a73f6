/* mma_transposed.h -- products that transpose the tile: the accumulator of one product is an operand of
 * the next.
 *
 * A product with the matrix on the left contracts along the positions of the pencils, as the others do, but leaves what
 * were pencils as positions. So the next contraction, along the other direction, takes place in the same registers.
 *
 *   mma_tile.h    pencils x positions  *  matrix   ->  pencils x outputs      same direction again
 *   here          matrix * positions x pencils     ->  outputs x pencils      the other direction next
 *
 * For that a tile has as many pencils as positions, counted alike: lane (g, q) holds pencil MMA_OUTPUT(g) and its mirror
 * image (a kernel's header has size mma_order = 1). Half a warp then reads pencils 0, 2, 4, 6 or 1, 3, 5, 7 at four
 * neighbouring positions, which lie in 16 different banks if a row has 2 mod 4 doubles. */
#ifndef BP_KERNELS_MMA_TRANSPOSED_H
#define BP_KERNELS_MMA_TRANSPOSED_H

#include "lib/contract/mma_layout.h"

/* Byte offsets of the points of the lane in a component of a transposed slice: of pencils along s,
 * at i = MMA_OUTPUT(g) and its mirror image; the first and the second position, and the mirror
 * image of the second where it is not as much further for all lanes. Where nc is even, the points
 * of both pencils are neighbours. Beyond the middle it is some other point: the values are 0
 * there. */
typedef struct {
  int low[2][2], high[2];
} transposed_offsets;

enum {
  HALF = BP_NC / 2,
  PAIRED = BP_NC % 2 == 0,
  SECOND = BP_HALF(BP_NC) - 4, /* rows from 4 to the middle */
  SECOND_HIGH = BP_NC / 2 - 4  /* and their mirror images */
};

BP_DEVICE transposed_offsets transposed_offsets_of()
{
  const int first = MMA_POSITION(bp_lane() % 4, 0), i = MMA_OUTPUT(bp_lane() / 4),
            bytes = (int)sizeof(double);
  transposed_offsets p;
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    int column;
    if (PAIRED) {
      column = i < 4 ? i + min(i, HALF - 4) : 2 * (i - 4) + 1;
      if (i >= HALF)
        column = i - 4 + min(i - 4, HALF - 4) - 1; /* before the one that would be its neighbour */
      column *= 2;
    } else {
      const int own = h ? BP_NC - 1 - i : i;
      column = own / 2 + own % 2 * BP_HALF(BP_NC);
    }
    const int low = 8 * BP_NC + column * SECOND + (1 + PAIRED) * min(first, SECOND - 1);
    const int high =
        (8 + SECOND) * BP_NC + column * SECOND_HIGH + (1 + PAIRED) * min(first, SECOND_HIGH - 1);
    p.low[h][0] = bp_keep(bytes * (column * 4 + (1 + PAIRED) * first));
    p.low[h][1] = bp_keep(bytes * low);
    p.high[h] =
        bp_keep(bytes * (first < SECOND_HIGH ? high : low)); /* the middle is its own image */
  }
  return p;
}

/* The factors of one component at position m or its mirror image, of both pencils. */
BP_DEVICE void transposed_factors(double *plane, const transposed_offsets *p, int m, bool mirrored,
                                  double f[2])
{
  const int further = !mirrored ? 0 : m == 0 ? 4 * BP_NC : SECOND * BP_NC;
  if (PAIRED) {
    const double2 pair = *(const double2 *)(tile_at(plane, p->low[0][m]) + further);
    f[0] = pair.x;
    f[1] = pair.y;
  } else {
    BP_UNROLL
    for (int h = 0; h < 2; ++h)
      f[h] = mirrored && m ? *tile_at(plane, p->high[h]) : tile_at(plane, p->low[h][m])[further];
  }
}

/* A whole matrix, from nodes to points or transposed: row MMA_OUTPUT(g) and its mirror image; the columns of
 * the lane's positions, or their mirror images. */
typedef struct {
  double low[4], high[4];
} tile_whole;

/* Of the lane's share of the halves. */
BP_DEVICE tile_whole tile_whole_of(tile_kind kind, const tile_matrix *halves)
{
  tile_whole t;
  BP_UNROLL
  for (int m = 0; m < 2; ++m) {
    const double even = halves->even[m], odd = halves->odd[m];
    const double mirror = kind == TILE_VALUE ? even - odd : odd - even;
    t.low[2 * m] = bp_keep(even + odd);
    t.low[2 * m + 1] = bp_keep(mirror);
    /* not bp_keep: the compiler would make them of the others, by moves at each product */
    t.high[2 * m] = bp_shuffle_xor(even - odd, 0);
    t.high[2 * m + 1] = bp_shuffle_xor(kind == TILE_VALUE ? even + odd : -even - odd, 0);
  }
  return t;
}

/* sums[h] += the transposed product with pencils h */
BP_DEVICE void tile_transpose_add(const tile_whole *t, const tile_values *x, double sums[2][4])
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    bp_mma_16x8x8(sums[h], t->low, x->low + 2 * h);
    bp_mma_16x8x8(sums[h], t->high, x->high + 2 * h);
  }
}

BP_DEVICE void tile_from_sums(double sums[2][4], tile_values *y)
{
  BP_UNROLL
  for (int n = 0; n < 4; ++n) {
    y->low[n] = sums[0][n];
    y->high[n] = sums[1][n];
  }
}

BP_DEVICE void tile_transpose_whole(const tile_whole *t, const tile_values *x, tile_values *y)
{
  double sums[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  tile_transpose_add(t, x, sums);
  tile_from_sums(sums, y);
}

/* Even halves of I and of D I, one above the other, and odd halves. */
typedef struct {
  double even[4], odd[4];
} tile_stacked;

BP_DEVICE tile_stacked tile_stacked_of(const tile_matrix *value, const tile_matrix *derivative)
{
  tile_stacked t;
  BP_UNROLL
  for (int m = 0; m < 2; ++m) {
    t.even[2 * m] = value->even[m];
    t.even[2 * m + 1] = derivative->even[m];
    t.odd[2 * m] = value->odd[m];
    t.odd[2 * m + 1] = derivative->odd[m];
  }
  return t;
}

/* The halves of the transposed values and, if that is not 0, derivatives. */
BP_DEVICE void tile_transpose(const tile_stacked *t, const tile_values *x, tile_halves *value,
                              tile_halves *derivative)
{
  tile_halves h;
  tile_split(x, &h);
  BP_UNROLL
  for (int odd = 0; odd < 2; ++odd) { /* of the pencils */
    double e[4] = {0, 0, 0, 0}, o[4] = {0, 0, 0, 0}, from_even[2], from_odd[2];
    BP_UNROLL
    for (int m = 0; m < 2; ++m) {
      from_even[m] = odd ? h.even[m] - h.even[2 + m] : h.even[m] + h.even[2 + m];
      from_odd[m] = odd ? h.odd[m] - h.odd[2 + m] : h.odd[m] + h.odd[2 + m];
    }
    bp_mma_16x8x8(e, t->even, from_even);
    bp_mma_16x8x8(o, t->odd, from_odd);
    double *to = odd ? value->odd : value->even;
    BP_UNROLL
    for (int m = 0; m < 2; ++m) {
      to[m] = e[m] + o[m];
      to[2 + m] = e[m] - o[m];
      if (derivative) {
        double *d = odd ? derivative->odd : derivative->even;
        d[m] = o[2 + m] + e[2 + m];
        d[2 + m] = o[2 + m] - e[2 + m];
      }
    }
  }
}

#endif
