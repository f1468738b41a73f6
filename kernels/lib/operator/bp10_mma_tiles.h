/* bp10_mma_tiles.h -- BP1.0 of an element on the tensor cores, in tiles of 16 pencils: five passes over a
 * cube in shared memory. A pass takes all pencils of a direction, across slabs, so that only the last tile
 * has unused pencils. The first and last pass are along s, where nodes [k][j][i] have no bank conflicts for
 * N = 11. So slabs of the cube have j fixed, and rows k. Factors lie as ecjki tiled 16.
 *
 * size: slab = nq == 12 ? 12 * nc : (nc * tile_row + 3) / 8 * 8 + 4 -- doubles from slab to slab of the cube */
#ifndef BP_KERNELS_BP10_MMA_TILES_H
#define BP_KERNELS_BP10_MMA_TILES_H

#include "lib/contract/mma_layout.h"
#include "lib/operator/element.h"

enum {
  WEIGHTS = POINTS_3D, /* of an element */
  WHOLE_TILES = POINTS_2D / 16
};

/* The lane's two pencils of nodes along s or t, or stand-ins: slab (or plane) and column. */
typedef struct {
  int slab[2], column[2];
  bool valid[2];
} pencil_pair;

/* In the tile that has `first` of `count` pencils for its first one. */
BP_DEVICE pencil_pair pencils_of(int first, int count)
{
  const int g = bp_lane() / 4, half = g / 4 * 4;
  pencil_pair p;
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const int n = first + tile_pencil_s(g, h);
    const int read = tile_stand_in(n, first + tile_pencil_s(half, h), count);
    p.slab[h] = read / BP_NQ;
    p.column[h] = read % BP_NQ;
    p.valid[h] = n < count;
  }
  return p;
}

/* Of 16 pencils along s: from the cube to v (of the element before), then from u to the cube. Where there are
 * both, the products of one hide those of the other. */
BP_DEVICE void boundary_tile(bool has_v, bool has_u, double *v, double *u, const pencil_pair *p,
                             const tile_matrix *there, const tile_matrix *back, double *cube)
{
  const int q = bp_lane() % 4;
  const int n0 = p->slab[0] * NODES_2D + p->column[0], n1 = p->slab[1] * NODES_2D + p->column[1];
  const tile_pointers c =
      tile_pointers_of(cube + p->slab[0] * TILE_ROW + p->column[0],
                       cube + p->slab[1] * TILE_ROW + p->column[1], q, SLAB, BP_NC);
  const tile_pointers in = tile_pointers_of(u + n0, u + n1, q, BP_NQ, BP_NQ);
  const tile_pointers out = tile_pointers_of(v + n0, v + n1, q, BP_NQ, BP_NQ);
  tile_values x, y;
  if (has_v)
    tile_read(&c, SLAB, BP_NC, &x);
  if (has_u)
    tile_read(&in, BP_NQ, BP_NQ, &y);
  if (has_v)
    tile_contract(back, BP_NC, BP_NQ, &x);
  if (has_u) {
    tile_contract(there, BP_NQ, BP_NC, &y);
    tile_write(&c, p->valid[0], p->valid[1], q, SLAB, BP_NC, &y);
  }
  if (has_v)
    tile_write_both(&out, p->valid[0], p->valid[1], q, BP_NQ, BP_NQ, &x);
}

/* Of all pencils along s; `v` or `u` may be 0: then the other stands for it, unused. They may be one
 * (in_place). */
BP_DEVICE void boundary(bool in_place, double *v, double *u, const tile_matrix *there,
                        const tile_matrix *back, double *cube)
{
  (void)in_place;
  BP_NO_UNROLL
  for (int first = 16 * bp_warp(); first < NODES_2D; first += 16 * WARPS) {
    const pencil_pair p = pencils_of(first, NODES_2D);
    if (v && u)
      boundary_tile(true, true, v, u, &p, there, back, cube);
    else if (v)
      boundary_tile(true, false, v, v, &p, there, back, cube);
    else
      boundary_tile(false, true, u, u, &p, there, back, cube);
  }
}

/* Along t, in place. */
BP_DEVICE void middle(const tile_matrix *matrix, int inputs, int outputs, double *cube)
{
  const int q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int first = 16 * bp_warp(); first < BP_NC * BP_NQ; first += 16 * WARPS) {
    const pencil_pair p = pencils_of(first, BP_NC * BP_NQ);
    double *at0 = cube + p.slab[0] * SLAB + p.column[0],
           *at1 = cube + p.slab[1] * SLAB + p.column[1];
    const tile_pointers in = tile_pointers_of(at0, at1, q, TILE_ROW, inputs);
    const tile_pointers out = tile_pointers_of(at0, at1, q, TILE_ROW, outputs);
    tile_values x;
    tile_read(&in, TILE_ROW, inputs, &x);
    tile_contract(matrix, inputs, outputs, &x);
    tile_write(&out, p.valid[0], p.valid[1], q, TILE_ROW, outputs, &x);
  }
}

/* What a lane needs for its share of the points: where its factors of a whole tile are, from its start. */
typedef struct {
  tile_offsets first, second;
} point_lane;

BP_DEVICE point_lane point_lane_of()
{
  point_lane w;
  BP_UNROLL
  for (int h = 0; h < 2; ++h)
    tile_factor_offsets(tile_pencil(h), h, 16, 1, &w.first, &w.second);
  return w;
}

/* Multiplies pencil h by its weights; returns what it adds to u . B u. Points beyond the middle are 0, the
 * middle is its own mirror image. */
BP_DEVICE double weigh_pencil(int h, const double low[2], const double high[2], tile_values *x)
{
  const bool is_middle = 2 * MMA_POSITION(bp_lane() % 4, 1) == BP_NC - 1;
  double energy = 0;
  BP_UNROLL
  for (int m = 0; m < 2; ++m) {
    const double a = x->low[2 * h + m], b = x->high[2 * h + m];
    x->low[2 * h + m] *= low[m];
    x->high[2 * h + m] *= high[m];
    energy += a * x->low[2 * h + m];
    energy += m == 1 && is_middle ? 0 : b * x->high[2 * h + m];
  }
  return energy;
}

BP_DEVICE double weigh(const double *from, const point_lane *w, tile_values *x)
{
  double energy = 0;
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const double low[2] = {*tile_at((double *)from, w->first.low[h]),
                           *tile_at((double *)from, w->second.low[h])},
                 high[2] = {*tile_at((double *)from, w->first.high[h]),
                            *tile_at((double *)from, w->second.high[h])};
    energy += weigh_pencil(h, low, high, x);
  }
  return energy;
}

/* The lane's rows p of those that no whole tile has, if they exist, lie one after the other. */
BP_DEVICE double weigh_rest(const double *from, int p0, int p1, bool valid0, bool valid1, int q,
                            tile_values *x)
{
  double energy = 0;
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const double *row = from + (h ? p1 : p0) * BP_NC;
    const int i = min(q + 4, BP_HALF(BP_NC) - 1);
    const double low[2] = {row[q], row[i]}, high[2] = {row[BP_NC - 1 - q], row[BP_NC - 1 - i]},
                 part = weigh_pencil(h, low, high, x);
    energy += (h ? valid1 : valid0) ? part : 0;
  }
  return energy;
}

/* Along r there, the weights w, and back; returns the lane's part of u . B u. */
BP_DEVICE double points(const double *w, const tile_matrix *there, const tile_matrix *back,
                        const point_lane *lane, double *cube)
{
  const int at0 = tile_pencil(0), at1 = tile_pencil(1), q = bp_lane() % 4;
  double energy = 0;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < TILES(POINTS_2D); tile += WARPS) {
    const int p0 = 16 * tile + at0, p1 = 16 * tile + at1, c0 = min(p0, POINTS_2D - 1),
              c1 = min(p1, POINTS_2D - 1);
    const bool valid0 = p0 < POINTS_2D, valid1 = p1 < POINTS_2D;
    double *row0 = cube + c0 * TILE_ROW, *row1 = cube + c1 * TILE_ROW;
    if (SLAB != BP_NC * TILE_ROW) {
      row0 = cube + c0 / BP_NC * SLAB + c0 % BP_NC * TILE_ROW;
      row1 = cube + c1 / BP_NC * SLAB + c1 % BP_NC * TILE_ROW;
    }
    const tile_pointers r = tile_pointers_of(row0, row1, q, 1, BP_NQ);
    tile_values x;
    tile_read(&r, 1, BP_NQ, &x);
    tile_contract(there, BP_NQ, BP_NC, &x);
    energy += tile < WHOLE_TILES ? weigh(w + 16 * tile * BP_NC, lane, &x)
                                 : weigh_rest(w, c0, c1, valid0, valid1, q, &x);
    tile_contract(back, BP_NC, BP_NQ, &x);
    tile_write(&r, valid0, valid1, q, 1, BP_NQ, &x);
  }
  return energy;
}

#endif
