/* bp10_mma_rows.h -- as bp10_mma_tiles.h, from rows of 16 nodes, read and written two at a time: with 16
 * nodes all planes and rows begin in the same bank, only along a row banks differ. Rows of the cube have 17
 * doubles and slabs (i fixed) 17 rows, so that consecutive pencils and rows begin in consecutive banks.
 * Factors lie as ecikj align 2 tiled 16x8.
 *
 * size: mma_order = 2 -- positions of a lane, see mma_tile.h: two neighbours
 * size: slab = nc*nc -- doubles from slab to slab of the cube */
#ifndef BP_KERNELS_BP10_MMA_ROWS_H
#define BP_KERNELS_BP10_MMA_ROWS_H

#include "lib/contract/mma_tile.h"
#include "lib/operator/element.h"

enum {
  WEIGHTS = (POINTS_3D + 1) / 2 * 2, /* of an element */
  ROW = BP_NC,
  WHOLE_TILES = POINTS_2D / 16
};

/* The lane's first pencil of a tile; the second is 4 further. Half a warp has pencils 0, 1, 8 and 9, or
 * two more. */
BP_DEVICE int lane_pencil()
{
  const int g = bp_lane() / 4;
  return g % 2 + g / 2 % 2 * 8 + g / 4 * 2;
}

/* Pencils n long of which the lane's first two positions are at `low` and `low` + step, their mirror
 * images at `high` and `high` - step; the second pencil is `next` further. */
BP_DEVICE void read(const double *low, const double *high, const double *ninth, int step, int next,
                    int n, tile_values *x)
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    BP_UNROLL
    for (int m = 0; m < 2; ++m) {
      x->low[2 * h + m] = low[h * next + m * step];
      x->high[2 * h + m] = high[h * next - m * step];
    }
    if (NINTH(n))
      x->ninth[h] = ninth[h * next];
  }
}

/* When all lanes have read. */
BP_DEVICE void write(double *low, double *high, double *ninth, int step, int next, int n,
                     bool valid0, bool valid1, int q, const tile_values *x)
{
  BP_WARP_BARRIER();
  BP_UNROLL
  for (int h = 0; h < 2; ++h)
    if (h ? valid1 : valid0) {
      BP_UNROLL
      for (int m = 0; m < 2; ++m) {
        low[h * next + m * step] = x->low[2 * h + m];
        high[h * next - m * step] = x->high[2 * h + m];
      }
      if (NINTH(n) && q == 0)
        ninth[h * next] = x->ninth[h];
    }
}

/* Two pencils of v, rows 4 from each other. */
BP_DEVICE void write_rows(double *row, int q, const tile_values *x)
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    *(double2 *)(row + 4 * h * BP_NQ + 2 * q) = make_double2(x->low[2 * h], x->low[2 * h + 1]);
    *(double2 *)(row + 4 * h * BP_NQ + BP_NQ - 2 - 2 * q) =
        make_double2(x->high[2 * h + 1], x->high[2 * h]);
  }
}

/* Along r: from the cube to v (of the element before), and from u to the cube; either may be 0. in_place:
 * where there are both they are one. A tile has the rows of a plane. Two rows that lanes read at once have
 * the same banks: one of them begins with its second half. */
BP_DEVICE void boundary(bool in_place, double *v, const double *u, const tile_matrix *there,
                        const tile_matrix *back, double *cube)
{
  const int q = bp_lane() % 4, pencil = lane_pencil(), at = pencil * BP_NQ;
  const bool reversed = pencil % 2;
  const int first = at + (reversed ? BP_NQ - 2 - 2 * q : 2 * q),
            second = at + (reversed ? 2 * q : BP_NQ - 2 - 2 * q);
  double *low = cube + pencil + 2 * q * SLAB, *high = cube + pencil + (BP_NC - 1 - 2 * q) * SLAB;
  double *ninth = cube + pencil + 8 * SLAB;
  BP_NO_UNROLL
  for (int k = bp_warp(); k < BP_NQ; k += WARPS) {
    tile_values x, y;
    if (v) {
      read(low + k * ROW, high + k * ROW, ninth + k * ROW, SLAB, 4, BP_NC, &x);
      tile_contract(back, BP_NC, BP_NQ, &x);
      if (!in_place)
        write_rows(v + k * NODES_2D + at, q, &x);
    }
    if (u) {
      BP_UNROLL
      for (int h = 0; h < 2; ++h) {
        const double *plane = u + k * NODES_2D + 4 * h * BP_NQ;
        const double2 a = *(const double2 *)(plane + first), b = *(const double2 *)(plane + second);
        y.low[2 * h] = reversed ? b.x : a.x;
        y.low[2 * h + 1] = reversed ? b.y : a.y;
        y.high[2 * h] = reversed ? a.y : b.y;
        y.high[2 * h + 1] = reversed ? a.x : b.x;
      }
      tile_contract(there, BP_NQ, BP_NC, &y);
      write(low + k * ROW, high + k * ROW, ninth + k * ROW, SLAB, 4, BP_NC, true, true, q, &y);
    }
    if (v && in_place)
      write_rows(v + k * NODES_2D + at, q, &x);
  }
}

/* Along s there, the weights, and back: rows of which the lane's first two nodes are at `low` and their
 * mirror images at `high`, with weights at `f`, `f` + mirror and, in the middle, f_ninth; its second row
 * is `next` further, or the same. Returns the lane's part of u . B u. */
BP_DEVICE double weigh_rows(double *low, double *high, const double *f, const double *f_ninth,
                            int mirror, bool whole, bool valid, const tile_matrix *there,
                            const tile_matrix *back)
{
  const int q = bp_lane() % 4, next = whole ? 4 * ROW : 0;
  double energy = 0;
  tile_values x;
  read(low, high, 0, 1, next, BP_NQ, &x);
  tile_contract(there, BP_NQ, BP_NC, &x);
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const double2 a = *(const double2 *)(f + (whole ? 4 * 8 * h : 0));
    const double2 b = *(const double2 *)(f + (whole ? 4 * 8 * h : 0) + mirror);
    const double c = f_ninth[whole ? 4 * h : 0], w[4] = {a.x, a.y, b.x, b.y};
    double part = q == 0 ? x.ninth[h] * (c * x.ninth[h]) : 0;
    BP_UNROLL
    for (int m = 0; m < 2; ++m) {
      double *const l = &x.low[2 * h + m], *const g = &x.high[2 * h + m];
      const double was_low = *l, was_high = *g;
      *l *= w[m];
      *g *= w[2 + m];
      part += was_low * *l + was_high * *g;
    }
    x.ninth[h] *= c;
    energy += (h ? whole : valid) ? part : 0;
  }
  tile_contract(back, BP_NC, BP_NQ, &x);
  write(low, high, 0, 1, next, BP_NQ, valid, whole, q, &x);
  return energy;
}

/* What a lane needs for its share of the points: its first row of a tile. */
typedef struct {
  int pencil, q;
} point_lane;

BP_DEVICE point_lane point_lane_of()
{
  const point_lane lane = {lane_pencil(), bp_lane() % 4};
  return lane;
}

/* All rows of points but the last one. */
BP_DEVICE double points(const double *w, const tile_matrix *there, const tile_matrix *back,
                        const point_lane *lane, double *cube)
{
  const int pencil = lane->pencil, q = lane->q;
  double *low = cube + pencil * ROW + 2 * q, *high = cube + pencil * ROW + BP_NQ - 1 - 2 * q;
  const double *f = w + 8 * pencil + 2 * q, *f_ninth = w + 16 * 16 + pencil;
  double energy = 0;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < WHOLE_TILES; tile += WARPS)
    energy += weigh_rows(low + 16 * tile * ROW, high + 16 * tile * ROW, f + 16 * tile * BP_NC,
                         f_ninth + 16 * tile * BP_NC, 16 * 8, true, true, there, back);
  return energy;
}

/* The last one, which would need a tile of its own. */
BP_DEVICE double last_row(const double *w, const tile_matrix *there, const tile_matrix *back,
                          double *cube)
{
  const int q = bp_lane() % 4;
  double *row = cube + (POINTS_2D - 1) * ROW;
  const double *f = w + (POINTS_2D - 1) * BP_NC;
  return weigh_rows(row + 2 * q, row + BP_NQ - 1 - 2 * q, f + 2 * q, f + 16, 8, false,
                    lane_pencil() == 0, there, back);
}

/* Along t, in place. A tile has the pencils of a slab. The last slab is the last warp's first one. */
BP_DEVICE void middle(const tile_matrix *matrix, int inputs, int outputs, double *cube)
{
  const int q = bp_lane() % 4;
  double *first = cube + lane_pencil(), *low = first + 2 * q * ROW,
         *high = low + (BP_NQ - 1 - 4 * q) * ROW;
  BP_NO_UNROLL
  for (int n = bp_warp(); n < BP_NC; n += WARPS) {
    const int slab = (n == WARPS - 1 ? BP_NC - 1 : n == BP_NC - 1 ? WARPS - 1 : n) * SLAB;
    tile_values x;
    read(low + slab, high + slab + (inputs - BP_NQ) * ROW, first + slab + 8 * ROW, ROW, 4, inputs,
         &x);
    tile_contract(matrix, inputs, outputs, &x);
    write(low + slab, high + slab + (outputs - BP_NQ) * ROW, first + slab + 8 * ROW, ROW, 4,
          outputs, true, true, q, &x);
  }
}

#endif
