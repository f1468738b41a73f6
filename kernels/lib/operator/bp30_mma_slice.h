/* bp30_mma_slice.h -- a slice of BP3.0 on the tensor cores: one warp takes it from nodes to points,
 * through its factors and back.
 *
 * Two cubes in shared memory hold u and its t derivative u_t at the points of t; the slice is one slab of each. The
 * derivative in a direction is one contraction from nodes to points, by D I. ' is the way back. Between s and r three
 * slabs have to pass through two, so what would be the third waits in registers:
 *
 *   done                           slab of values      slab of u_t    registers of the warp
 *   boundary (all warps)           u                   u_t
 *   s, to points                   D I u               I u_t          I u, as columns
 *   rows read D I u                I u                 I u_t          s derivative: I D I u, as rows
 *   r, to points                                                      value, r, s, t at the points
 *   slice_wait, slice_fluxes                                          their fluxes
 *   r, to nodes                    I' value + (D I)' r I' t           I' s, as rows
 *   item_refill: the slot is free
 *   s, to nodes: all but s         I' s, as rows       I' I' t        sums of I' (I' value + (D I)' r)
 *   s, to nodes                    + (D I)' I' s
 *
 * At 17 points the last row does not fit into the tile of 16: last_row takes it.
 *
 * size: slice_slab = (nc * tile_row + 3) / 8 * 8 + 4 -- doubles from slab to slab: 4 or 12 banks of 16 */
#ifndef BP_KERNELS_BP30_MMA_SLICE_H
#define BP_KERNELS_BP30_MMA_SLICE_H

#include "lib/contract/mma_layout.h"
#include "lib/operator/bp30_mma_boundary.h"
#include "lib/operator/flux.h"
#include "lib/pipeline/pipeline_slices.h"

enum { LAST_ROW = BP_NC > 16 ? 16 : 0 }; /* of points; 0 where a tile holds them all */

/* Columns of a tiled slice from 4 to the middle, or to 8, and their mirror images. */
enum { LOWS = BP_HALF(BP_NC) < 8 ? BP_HALF(BP_NC) - 4 : 4, HIGHS = BP_NC < 16 ? BP_NC / 2 - 4 : 4 };

/* Where the lane's points are in a component of a tiled slice, in bytes. */
typedef struct {
  int first[2], low[2], high[2], ninth[2]; /* position q; q + 4, its mirror image; 8 */
} factor_offsets;

/* Of row j. Those that are an immediate offset away from others are not used: see factor_of_point. */
BP_DEVICE void factor_offsets_of(int j, int h, factor_offsets *p)
{
  const int q = bp_lane() % 4, bytes = (int)sizeof(double), row = tile_factor_row(j);
  const int low = 8 * BP_NC + row * LOWS + min(q, LOWS - 1);
  const int high = (8 + LOWS) * BP_NC + row * HIGHS + min(q, HIGHS - 1);
  p->first[h] = bp_keep(bytes * (row * 4 + q));
  p->low[h] = bp_keep(bytes * low);
  p->high[h] = bp_keep(bytes * (q < HIGHS ? high : low)); /* the middle is its own image */
  p->ninth[h] = bp_keep(bytes * (16 * BP_NC + row));
}

/* Of pencil h, position q + 4m or its mirror image. */
BP_DEVICE double *factor_of_point(double *slice, const factor_offsets *p, int h, int m,
                                  bool mirrored)
{
  double *first = tile_at(slice, p->first[h]);
  if (m == 0)
    return first + (mirrored ? 4 * BP_NC : 0);
  if (HIGHS == 4)
    return first + (mirrored ? 12 : 8) * BP_NC;
  if (!mirrored)
    return LOWS == 4 ? first + 8 * BP_NC : tile_at(slice, p->low[h]);
  return HIGHS == LOWS ? tile_at(slice, p->low[h]) + LOWS * BP_NC : tile_at(slice, p->high[h]);
}

/* Returns the slice's part of u . A u, without what stands in for points that do not exist. */
BP_DEVICE double slice_fluxes(double *slice, const factor_offsets *p, bool in0, bool in1, int q,
                              double lambda, tile_values *u, tile_values *r, tile_values *s,
                              tile_values *t)
{
  double energy = 0;
  BP_UNROLL
  for (int n = 0; n < 4; ++n) {
    const int position = MMA_POSITION(q, n % 2);
    const bool is_there = (n < 2 ? in0 : in1) && position < BP_HALF(BP_NC);
    const double low = flux_energy(factor_of_point(slice, p, n / 2, n % 2, false), POINTS_2D,
                                   lambda, &r->low[n], &s->low[n], &t->low[n], &u->low[n]);
    const double high = flux_energy(factor_of_point(slice, p, n / 2, n % 2, true), POINTS_2D,
                                    lambda, &r->high[n], &s->high[n], &t->high[n], &u->high[n]);
    energy += is_there ? low : 0;
    energy += is_there && position != BP_NC - 1 - position ? high : 0;
  }
  if (NINTH(BP_NC)) {
    BP_UNROLL
    for (int h = 0; h < 2; ++h) {
      const double ninth = flux_energy(tile_at(slice, p->ninth[h]), POINTS_2D, lambda, &r->ninth[h],
                                       &s->ninth[h], &t->ninth[h], &u->ninth[h]);
      energy += q == 0 && (h ? in1 : in0) ? ninth : 0;
    }
  }
  return energy;
}

/* Where the lane's points along s are in a slab. */
BP_DEVICE tile_pointers points_along_s(double *slab, const tile_offsets *along_s, int q)
{
  tile_pointers p = tile_pointers_at(slab, along_s, TILE_ROW, TILE_ROW);
  p.ninth[0] = p.low[0] + (8 - q) * TILE_ROW;
  p.ninth[1] = p.low[1] + (8 - q) * TILE_ROW;
  return p;
}

/* The 17th row of points through one tile: u is the first pencil of lanes 0..3, its s derivative the second
 * (where it comes, and where its flux is left), its t derivative the first of lanes 4..7. Other lanes do as
 * lanes 0..3. */
BP_DEVICE double last_row(double *slab, double *slab_t, const double *slot, const tile_operators *m,
                          double lambda, tile_values *last)
{
  const int q = bp_lane() % 4;
  const bool is_t = bp_lane() / 4 == 1;
  double *row = (is_t ? slab_t : slab) + LAST_ROW * TILE_ROW;
  tile_values r, t;
  tile_halves h;
  double energy = 0;
  tile_load_pencil(row, 0, q, 1, BP_NQ, last);
  tile_split(last, &h);
  tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, last);
  tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, &h, &r);
  BP_UNROLL
  for (int n = 0; n < 2; ++n) {
    const double *f = slot + 4 * tile_factor_row(LAST_ROW) + q + 8 * n * BP_NC, *g = f + 4 * BP_NC;
    t.low[n] = bp_shuffle_down(last->low[n], 4);
    t.high[n] = bp_shuffle_down(last->high[n], 4);
    const double low =
        flux_energy(f, POINTS_2D, lambda, &r.low[n], &last->low[2 + n], &t.low[n], &last->low[n]);
    const double high = flux_energy(g, POINTS_2D, lambda, &r.high[n], &last->high[2 + n],
                                    &t.high[n], &last->high[n]);
    energy += bp_lane() < 4 ? low + high : 0;
    t.low[n] = bp_shuffle_up(t.low[n], 4);
    t.high[n] = bp_shuffle_up(t.high[n], 4);
    last->low[n] = is_t ? t.low[n] : last->low[n];
    last->high[n] = is_t ? t.high[n] : last->high[n];
    r.low[n] = is_t ? 0 : r.low[n];
    r.high[n] = is_t ? 0 : r.high[n];
    r.low[2 + n] = r.high[2 + n] = 0;
  }
  t.ninth[0] = bp_shuffle_down(last->ninth[0], 4);
  const double ninth = flux_energy(slot + 16 * BP_NC + tile_factor_row(LAST_ROW), POINTS_2D, lambda,
                                   &r.ninth[0], &last->ninth[1], &t.ninth[0], &last->ninth[0]);
  energy += bp_lane() == 0 ? ninth : 0;
  t.ninth[0] = bp_shuffle_up(t.ninth[0], 4);
  last->ninth[0] = is_t ? t.ninth[0] : last->ninth[0];
  r.ninth[0] = is_t ? 0 : r.ninth[0];
  r.ninth[1] = 0;
  tile_back(m, last, &r, last);
  BP_WARP_BARRIER();
  tile_store_pencil(row, 0, bp_lane() < 8, q, 1, BP_NQ, last);
  return energy;
}

/* What a lane needs for its share of any slice. */
typedef struct {
  int derivatives; /* from the cube of values to that of t derivatives */
  int q;
  bool in0, in1, row0_in, row1_in; /* whether its pencils exist, along s and along r */
  tile_offsets along_s, along_r;
  factor_offsets factors;
} slice_lane;

BP_DEVICE slice_lane slice_lane_of(int derivatives)
{
  const int g = bp_lane() / 4, half = g / 4 * 4;
  const int j0 = tile_stand_in(tile_pencil_r(g, 0), tile_pencil_r(half, 0), BP_NC);
  const int j1 = tile_stand_in(tile_pencil_r(g, 1), tile_pencil_r(half, 1), BP_NC);
  const tile_offsets s_pencils = tile_offsets_of(
      tile_stand_in(tile_pencil_s(g, 0), tile_pencil_s(half, 0), BP_NQ),
      tile_stand_in(tile_pencil_s(g, 1), tile_pencil_s(half, 1), BP_NQ), TILE_ROW, BP_NQ);
  const tile_offsets r_pencils = tile_offsets_of(j0 * TILE_ROW, j1 * TILE_ROW, 1, BP_NQ);
  slice_lane l;
  l.derivatives = derivatives;
  l.q = bp_keep(bp_lane() % 4);
  l.in0 = tile_pencil_s(g, 0) < BP_NQ;
  l.in1 = tile_pencil_s(g, 1) < BP_NQ;
  l.row0_in = tile_pencil_r(g, 0) < BP_NC;
  l.row1_in = tile_pencil_r(g, 1) < BP_NC;
  l.along_s = tile_offsets_spaced(&s_pencils, BP_NQ == 16 ? 2 : 0);
  l.along_r = tile_offsets_spaced(&r_pencils, TILE_SPACING == 4 && BP_NC >= 16 ? 2 * TILE_ROW : 0);
  factor_offsets_of(j0, 0, &l.factors);
  factor_offsets_of(j1, 1, &l.factors);
  return l;
}

/* By a warp: computes the slice whose values are in `slab`, waits for its factors and refills their slot;
 * returns its part of u . A u. */
BP_DEVICE double slice_compute(double *slab, const slice_lane *lane, const tile_operators *m,
                               double lambda, const slice_pipeline *pipeline,
                               const pipeline_item *here)
{
  double *slab_t = slab + lane->derivatives;
  const int q = lane->q;
  const bool in0 = lane->in0, in1 = lane->in1, row0_in = lane->row0_in, row1_in = lane->row1_in;
  const tile_pointers nodes = tile_pointers_at(slab, &lane->along_s, TILE_ROW, 0);
  const tile_pointers points = points_along_s(slab, &lane->along_s, q);
  const tile_pointers rows = tile_pointers_at(slab, &lane->along_r, 1, 0);
  const tile_pointers nodes_t = tile_pointers_moved(&nodes, lane->derivatives),
                      points_t = tile_pointers_moved(&points, lane->derivatives);
  const tile_pointers rows_t = tile_pointers_moved(&rows, lane->derivatives);
  tile_values x, y, value, r, s, t, last;
  tile_halves h;

  /* along s, to points: the t derivative and, first, the s derivative, which rows then take away */
  tile_read(&nodes_t, TILE_ROW, BP_NQ, &x);
  tile_split(&x, &h);
  tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, &x);
  tile_write(&points_t, in0, in1, q, TILE_ROW, BP_NC, &x);
  tile_read(&nodes, TILE_ROW, BP_NQ, &x);
  tile_split(&x, &h);
  tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, &h, &x);
  tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, &y);
  tile_write(&points, in0, in1, q, TILE_ROW, BP_NC, &x);
  BP_WARP_BARRIER();
  tile_read(&rows, 1, BP_NQ, &x);
  tile_split(&x, &h);
  tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, &s);
  if (LAST_ROW)
    tile_load_pencil(slab + LAST_ROW * TILE_ROW, 1, q, 1, BP_NQ, &last);
  tile_write(&points, in0, in1, q, TILE_ROW, BP_NC, &y);
  BP_WARP_BARRIER();

  /* along r, to points; the factors; back; the s flux stays */
  tile_read(&rows, 1, BP_NQ, &x);
  tile_split(&x, &h);
  if (BP_COMPONENTS == 7)
    tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, &value);
  tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, &h, &r);
  tile_read(&rows_t, 1, BP_NQ, &x);
  tile_split(&x, &h);
  tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, &t);
  double *f = slice_wait(pipeline, here);
  double energy = slice_fluxes(f, &lane->factors, row0_in, row1_in, q, lambda, &value, &r, &s, &t);
  if (BP_COMPONENTS == 7)
    tile_back(m, &value, &r, &x);
  else {
    tile_split(&r, &h);
    tile_apply(&m->derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &x);
  }
  tile_write(&rows, row0_in, row1_in, q, 1, BP_NQ, &x);
  tile_split(&t, &h);
  tile_apply(&m->value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &x);
  tile_write_both(&rows_t, row0_in, row1_in, q, 1, BP_NQ, &x);
  tile_split(&s, &h);
  tile_apply(&m->value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &s);
  if (LAST_ROW)
    energy += last_row(slab, slab_t, f, m, lambda, &last);
  item_refill(pipeline, *here);

  /* along s, to nodes: first what does not come from the s flux */
  tile_sums sums;
  tile_zero(&sums);
  tile_read(&points, TILE_ROW, BP_NC, &x);
  tile_split(&x, &h);
  tile_add(&m->value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &sums);
  tile_read(&points_t, TILE_ROW, BP_NC, &x);
  tile_split(&x, &h);
  tile_apply(&m->value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &x);
  tile_write(&nodes_t, in0, in1, q, TILE_ROW, BP_NQ, &x);
  tile_write_both(&rows, row0_in, row1_in, q, 1, BP_NQ, &s);
  if (LAST_ROW)
    tile_store_pencil(slab + LAST_ROW * TILE_ROW, 1, bp_lane() < 4, q, 1, BP_NQ, &last);
  BP_WARP_BARRIER();
  tile_read(&points, TILE_ROW, BP_NC, &x);
  tile_split(&x, &h);
  tile_add(&m->derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &sums);
  tile_join(&sums, &x);
  tile_write(&nodes, in0, in1, q, TILE_ROW, BP_NQ, &x);
  return energy;
}

#endif
