/* bp35_mma_slice.h -- BP3.5 on the tensor cores: contractions along t at the boundaries of the elements, and
 * a slice by one warp, through its factors and back. For the solves of BP5, too.
 *
 *   what the slab of values holds    of t derivatives    in registers: rows
 *   u                                u_t                 u
 *   u_s, by columns                                      u_r; then u_s and u_t are read
 *                                                        slice_wait: the gradient becomes the flux
 *   the s flux                       the t flux          item_refill: the slot is free
 *   its share of v, by columns                           the share of the r flux, the mass term
 *   the sum of all three
 *
 * factors: ekcji align 2 rotated
 * size: row = nq + (nq + 1) % 2 -- doubles from row to row of a cube of values
 * size: slab = (nq * row + 3) / 8 * 8 + 4 -- from slab to slab: 4 or 12 banks of 16
 * size: values = nq * slab -- from the cube of values to that of t derivatives */
#ifndef BP_KERNELS_BP35_MMA_SLICE_H
#define BP_KERNELS_BP35_MMA_SLICE_H

#include "lib/contract/mma_tile.h"
#include "lib/operator/flux.h"
#include "lib/pipeline/pipeline_slices.h"

/* By all warps, along t, 16 pencils at a time: back from the cubes to v (of the element before), then from u
 * to the cubes. Either may be 0. `derivatives`: from the cube of values to that of t derivatives. */
BP_DEVICE void boundary(double *v, const double *u, const tile_matrix *there,
                        const tile_matrix *back, double *cube, int derivatives)
{
  const int q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < TILES(NODES_2D); tile += WARPS) {
    const tile_pair p = tile_pair_of(tile, tile_pencil(0), tile_pencil(1), NODES_2D);
    double *at0 = cube + p.first / BP_NQ * ROW + p.first % BP_NQ;
    double *at1 = cube + p.second / BP_NQ * ROW + p.second % BP_NQ;
    tile_values x, y, z;
    tile_halves h;
    if (v) {
      tile_load(at0 + derivatives, at1 + derivatives, q, SLAB, BP_NQ, &y);
      tile_split(&y, &h);
      tile_apply(back, TILE_DERIVATIVE, BP_NQ, BP_NQ, &h, &y);
      tile_load(at0, at1, q, SLAB, BP_NQ, &z);
      tile_sum(&z, &y);
      tile_store(v + p.first, v + p.second, p.has_first, p.has_second, q, NODES_2D, BP_NQ, &y);
    }
    if (u) {
      tile_load_swapped(u + p.first, u + p.second, q, NODES_2D, BP_NQ, &x);
      tile_replace(at0, at1, p.has_first, p.has_second, q, SLAB, BP_NQ, &x);
      tile_split(&x, &h);
      tile_apply(there, TILE_DERIVATIVE, BP_NQ, BP_NQ, &h, &y);
      tile_store(at0 + derivatives, at1 + derivatives, p.has_first, p.has_second, q, SLAB, BP_NQ,
                 &y);
    }
  }
}

/* Where column i of row j of a plane of points lies, where rows are rotated. */
BP_DEVICE int rotated_index(int j, int i)
{
  const int rotated = i + j < BP_NC ? i + j : i + j - BP_NC;
  return j * BP_NC + (BP_NC % 2 ? i : rotated);
}

/* For a tile whose pencils are rows j0 and j1 of the slice, if they exist. Returns the slice's part of
 * u . A u, without what stands in for points that do not exist. */
BP_DEVICE double slice_fluxes(const double *slice, int j0, int j1, bool in0, bool in1, int q,
                              double lambda, tile_values *u, tile_values *r, tile_values *s,
                              tile_values *t)
{
  double energy = 0;
  BP_UNROLL
  for (int n = 0; n < 4; ++n) {
    const int j = n < 2 ? j0 : j1, i = tile_position(q, n % 2, BP_NC), mirror = BP_NC - 1 - i;
    const bool is_there = (n < 2 ? in0 : in1) && MMA_POSITION(q, n % 2) < BP_HALF(BP_NC);
    const double low = flux_energy(slice + rotated_index(j, i), POINTS_2D, lambda, &r->low[n],
                                   &s->low[n], &t->low[n], &u->low[n]);
    const double high = flux_energy(slice + rotated_index(j, mirror), POINTS_2D, lambda,
                                    &r->high[n], &s->high[n], &t->high[n], &u->high[n]);
    energy += is_there ? low : 0;
    energy += is_there && mirror != i ? high : 0;
  }
  return energy;
}

/* What a lane needs for its share of any slice: its two columns and rows, the last one for those that do not
 * exist. */
typedef struct {
  int q, c0, c1;
  bool in0, in1;
} slice_lane;

BP_DEVICE slice_lane slice_lane_of()
{
  const int q = bp_keep(bp_lane() % 4), n0 = bp_keep(tile_pencil_spread(0)), n1 = n0 + 2;
  const slice_lane l = {q, bp_keep(min(n0, BP_NQ - 1)), bp_keep(min(n1, BP_NQ - 1)), n0 < BP_NQ,
                        n1 < BP_NQ};
  return l;
}

/* By one warp: the slice `here` of the cubes, in place; returns its part of u . A u. */
BP_DEVICE double slice_compute(double *cube, int derivatives, const slice_lane *lane,
                               const tile_matrix *there, const tile_matrix *back, double lambda,
                               const slice_pipeline *pipeline, const pipeline_item *here)
{
  const int q = lane->q;
  const bool in0 = lane->in0, in1 = lane->in1;
  double *slab = cube + here->n * SLAB, *column0 = slab + lane->c0, *column1 = slab + lane->c1;
  double *row0 = slab + lane->c0 * ROW, *row1 = slab + lane->c1 * ROW;
  const double *f;
  tile_values value, x, r, s, t;
  tile_halves h;

  /* rows of u stay in registers while the s derivative takes its place */
  tile_load(row0, row1, q, 1, BP_NQ, &value);
  tile_load(column0, column1, q, ROW, BP_NQ, &x);
  tile_split(&x, &h);
  tile_apply(there, TILE_DERIVATIVE, BP_NQ, BP_NQ, &h, &x);
  tile_replace(column0, column1, in0, in1, q, ROW, BP_NQ, &x);
  BP_WARP_BARRIER();

  /* rows: the r derivative, the factors */
  tile_load(row0, row1, q, 1, BP_NQ, &s);
  tile_load(row0 + derivatives, row1 + derivatives, q, 1, BP_NQ, &t);
  tile_split(&value, &h);
  tile_apply(there, TILE_DERIVATIVE, BP_NQ, BP_NQ, &h, &r);
  f = slice_wait(pipeline, here);
  const double energy =
      slice_fluxes(f, lane->c0, lane->c1, in0, in1, q, lambda, &value, &r, &s, &t);
  tile_replace(row0, row1, in0, in1, q, 1, BP_NQ, &s);
  tile_store(row0 + derivatives, row1 + derivatives, in0, in1, q, 1, BP_NQ, &t);
  item_refill(pipeline, *here);

  /* the transposed s derivative, in place, then the sum */
  tile_load(column0, column1, q, ROW, BP_NQ, &s);
  tile_split(&s, &h);
  tile_apply(back, TILE_DERIVATIVE, BP_NQ, BP_NQ, &h, &s);
  tile_replace(column0, column1, in0, in1, q, ROW, BP_NQ, &s);
  BP_WARP_BARRIER();
  tile_load(row0, row1, q, 1, BP_NQ, &s);
  tile_split(&r, &h);
  tile_apply(back, TILE_DERIVATIVE, BP_NQ, BP_NQ, &h, &x);
  if (BP_COMPONENTS == 7)
    tile_sum(&value, &x);
  tile_sum(&s, &x);
  tile_replace(row0, row1, in0, in1, q, 1, BP_NQ, &x);
  return energy;
}

#endif
