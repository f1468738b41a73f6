/* ends.h -- the ends of an element on the tensor cores, where nodes of t become points and points nodes
 * again: from u in shared memory to a cube and from there to v. Included where PLANE, the nodes of a plane,
 * and ROW and SLAB, the doubles from row to row and from plane to plane of the cube, are known; for BP3.0
 * also CUBE, from the cube of values to that of t derivatives. */
#ifndef BP_KERNELS_ENDS_H
#define BP_KERNELS_ENDS_H

#include "tile.h"

#if BP_COMPONENTS == 1
/* Along t, for 16 pencils at a time: back from the cube to v (of the element before), then from u to
 * the cube; either may be 0. */
BP_DEVICE void ends(double *v, const double *u, const tile_matrix *there, const tile_matrix *back,
                    double *cube)
{
  const int q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < TILES(PLANE); tile += WARPS) {
    const tile_pair p = tile_pair_of(tile, tile_pencil(0), tile_pencil(1), PLANE);
    double *at0 = cube + p.first / BP_NQ * ROW + p.first % BP_NQ;
    double *at1 = cube + p.second / BP_NQ * ROW + p.second % BP_NQ;
    tile_values x;
    tile_halves h;
    if (v) {
      tile_load(at0, at1, true, q, SLAB, BP_NC, &x);
      tile_split(&x, true, &h);
      tile_apply(back, TILE_VALUE, BP_NC, BP_NQ, true, &h, &x);
      tile_store(v + p.first, v + p.second, p.has_first, p.has_second, q, PLANE, BP_NQ, &x);
    }
    if (u) {
      tile_load_crossed(u + p.first, u + p.second, q, PLANE, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(there, TILE_VALUE, BP_NQ, BP_NC, true, &h, &x);
      tile_replace(at0, at1, p.has_first, p.has_second, q, SLAB, BP_NC, &x);
    }
  }
}

#else
/* Along t, for 16 pencils at a time: back from the cubes to v (of the element before), then from u to
 * the cubes; either may be 0. */
BP_DEVICE void ends(double *v, const double *u, const tile_operators *m, double *cube)
{
  const int q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < TILES(PLANE); tile += WARPS) {
    const tile_pair p = tile_pair_of(tile, tile_pencil(0), tile_pencil(1), PLANE);
    double *at0 = cube + p.first / BP_NQ * ROW + p.first % BP_NQ;
    double *at1 = cube + p.second / BP_NQ * ROW + p.second % BP_NQ;
    tile_values x, y;
    tile_halves h;
    if (v) {
      tile_sums sums;
      tile_zero(&sums);
      tile_load(at0, at1, true, q, SLAB, BP_NC, &y);
      tile_split(&y, true, &h);
      tile_add(&m->value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &sums);
      tile_load(at0 + CUBE, at1 + CUBE, true, q, SLAB, BP_NC, &y);
      tile_split(&y, true, &h);
      tile_add(&m->derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &sums);
      tile_join(&sums, true, &y);
      tile_store(v + p.first, v + p.second, p.has_first, p.has_second, q, PLANE, BP_NQ, &y);
    }
    if (u) {
      tile_load_crossed(u + p.first, u + p.second, q, PLANE, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &y);
      tile_replace(at0, at1, p.has_first, p.has_second, q, SLAB, BP_NC, &y);
      tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, true, &h, &y);
      tile_store(at0 + CUBE, at1 + CUBE, p.has_first, p.has_second, q, SLAB, BP_NC, &y);
    }
  }
}

/* x = what values and r derivatives at the points give at the nodes of r. */
BP_DEVICE void tile_back(const tile_operators *m, const tile_values *value, const tile_values *r,
                         tile_values *x)
{
  tile_sums sums;
  tile_halves h;
  tile_zero(&sums);
  tile_split(value, true, &h);
  tile_add(&m->value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &sums);
  tile_split(r, true, &h);
  tile_add(&m->derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &sums);
  tile_join(&sums, true, x);
}
#endif

#endif
