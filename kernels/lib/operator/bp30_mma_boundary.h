/* bp30_mma_boundary.h -- the boundary of an element's pipeline for BP3.0 on the tensor cores:
 * contractions along t, between u or v and the two cubes that hold values and t derivatives at the
 * points of t. */
#ifndef BP_KERNELS_BP30_MMA_BOUNDARY_H
#define BP_KERNELS_BP30_MMA_BOUNDARY_H

#include "lib/contract/mma_layout.h"
#include "lib/operator/element.h"

/* Doubles from row to row and from slab (k fixed) to slab of a cube, and from the cube of values to that of t
 * derivatives. */
typedef struct {
  int row, slab, derivatives;
} cube_layout;

/* Where the values of the lane are in two pencils that begin `at0` and `at1` doubles from `from`;
 * `lane` says where they are in a pencil that begins there. */
BP_DEVICE tile_pointers boundary_pointers(double *from, const tile_offsets *lane, int at0, int at1,
                                          int step)
{
  const int bytes0 = at0 * (int)sizeof(double), bytes1 = at1 * (int)sizeof(double);
  const tile_offsets o = {{lane->low[0] + bytes0, lane->low[0] + bytes1},
                          {lane->high[0] + bytes0, lane->high[0] + bytes1}};
  tile_pointers p = tile_pointers_at(from, &o, step, 0);
  p.ninth[0] = from + at0 + 8 * step;
  p.ninth[1] = from + at1 + 8 * step;
  return p;
}

/* Pencils p0 and p1 of u. NODES_2D may be as good as 0 to the 16 banks. Then the lanes of odd q
 * take their two pencils in the other order; otherwise four positions of a pencil would lie in one
 * bank. */
BP_DEVICE void boundary_read(double *u, const tile_offsets *lane, int p0, int p1, tile_values *x)
{
  const bool can_swap = NODES_2D % 16 < 2, swapped = can_swap && bp_lane() % 2;
  const tile_pointers p =
      boundary_pointers(u, lane, swapped ? p1 : p0, swapped ? p0 : p1, NODES_2D);
  tile_read(&p, NODES_2D, BP_NQ, x);
  if (can_swap)
    tile_swap_back(swapped, x);
}

/* Back along t, from `points` values and as many t derivatives. */
BP_DEVICE void boundary_back(const tile_operators *m, const tile_pointers *at,
                             const tile_pointers *at_t, int slab, int points, tile_values *y)
{
  tile_sums sums;
  tile_halves h;
  tile_zero(&sums);
  tile_read(at, slab, points, y);
  tile_split(y, &h);
  tile_add(&m->value_back, TILE_VALUE, points, BP_NQ, &h, &sums);
  tile_read(at_t, slab, points, y);
  tile_split(y, &h);
  tile_add(&m->derivative_back, TILE_DERIVATIVE, points, BP_NQ, &h, &sums);
  tile_join(&sums, y);
}

/* The lane's pencils p and p + 8 along t, those that there are, and where they are in the cubes. */
typedef struct {
  int p0, p1;
  bool in0, in1;
  tile_pointers at, at_t;
} boundary_tile;

BP_DEVICE boundary_tile boundary_tile_of(int p, double *cube, const tile_offsets *in_cube,
                                         cube_layout layout)
{
  boundary_tile b;
  b.in0 = p < NODES_2D;
  b.in1 = p + 8 < NODES_2D;
  b.p0 = min(p, NODES_2D - 1);
  b.p1 = min(p + 8, NODES_2D - 1);
  b.at = boundary_pointers(cube, in_cube, b.p0 + b.p0 / BP_NQ * (layout.row - BP_NQ),
                           b.p1 + b.p1 / BP_NQ * (layout.row - BP_NQ), layout.slab);
  b.at_t = tile_pointers_moved(&b.at, layout.derivatives);
  return b;
}

/* From u to the cubes. */
BP_DEVICE void boundary_there(double *u, const tile_offsets *in_u, const tile_operators *m,
                              const boundary_tile *b, int slab)
{
  const int q = bp_lane() % 4;
  tile_values x, y;
  tile_halves h;
  boundary_read(u, in_u, b->p0, b->p1, &x);
  tile_split(&x, &h);
  tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, &y);
  tile_write(&b->at, b->in0, b->in1, q, slab, BP_NC, &y);
  tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, &h, &y);
  tile_write_both(&b->at_t, b->in0, b->in1, q, slab, BP_NC, &y);
}

/* The first of the lane's pencils, and all of them. Its option: warps. */
#define BOUNDARY_FIRST (bp_lane() / 4 + 16 * bp_warp())
#define FOR_BOUNDARY_TILES(p)                                                                      \
  for (int p = BOUNDARY_FIRST; p < NODES_2D + BOUNDARY_FIRST % 16; p += 16 * WARPS)

/* By all warps, along t, 16 pencils at a time: back from the cubes to v (of the element before),
 * then from u to the cubes. Either may be 0. */
BP_DEVICE void boundary(double *v, double *u, const tile_operators *m, double *cube,
                        cube_layout layout)
{
  const tile_offsets in_cube = tile_offsets_of(0, 0, layout.slab, BP_NC),
                     in_u = tile_offsets_of(0, 0, NODES_2D, BP_NQ);
  BP_NO_UNROLL
  FOR_BOUNDARY_TILES(p)
  {
    const boundary_tile b = boundary_tile_of(p, cube, &in_cube, layout);
    if (v) {
      const tile_pointers to = boundary_pointers(v, &in_u, p, p + 8, NODES_2D);
      tile_values y;
      boundary_back(m, &b.at, &b.at_t, layout.slab, BP_NC, &y);
      tile_write_both(&to, b.in0, b.in1, bp_lane() % 4, NODES_2D, BP_NQ, &y);
    }
    if (u)
      boundary_there(u, &in_u, m, &b, layout.slab);
  }
}

/* x = what values and r derivatives at the points give at the nodes of r. */
BP_DEVICE void tile_back(const tile_operators *m, const tile_values *value, const tile_values *r,
                         tile_values *x)
{
  tile_sums sums;
  tile_halves h;
  tile_zero(&sums);
  tile_split(value, &h);
  tile_add(&m->value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &sums);
  tile_split(r, &h);
  tile_add(&m->derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &sums);
  tile_join(&sums, x);
}

#endif
