/* bp30_middle_slice.h -- BP3.0 at 17 points on the tensor cores: one warp takes the middle slice while others
 * do the boundaries.
 *
 * 17 slices are one too many for 8 warps, and more warps would have too few registers each: 7 warps would wait while
 * one computes the last slice. So the last one is the middle slice. A tile holds its t position separately
 * (mma_tile.h), so the boundary contractions along t of this element and of the next can do without it, and add its
 * share when it is there.
 *
 * While the middle warp computes the middle slice, the boundary warps do both boundaries. Two slabs hold the middle
 * slice alternately: one element's is in use while the next one's comes.
 *
 *   boundary warps                                    middle warp           producer warp
 *   ------------------------------------------------  --------------------  -------------------------------
 *   boundary_partial of the element before            its middle slice
 *   u of this one: boundary_begin
 *   ---------------------------------------- BP_BARRIER --------------------------------------------------
 *   boundary_finish of the element before             middle_slices ..      frees u's slots, middle_slices
 *   middle_slices, wait for slices_done
 *
 * size: values = (nc + 1) * slice_slab -- from the cube of values to that of t derivatives: a slab more than slices */
#ifndef BP_KERNELS_BP30_MIDDLE_SLICE_H
#define BP_KERNELS_BP30_MIDDLE_SLICE_H

#include "lib/operator/bp30_mma_slice.h"

enum {
  MIDDLE = BP_NC / 2,
  OTHERS = BP_NC - 1,
  MIDDLE_WARP =
      OTHERS % WARPS, /* computes the middle slice after another one: so WARPS <= OTHERS */
  SCHEDULER = MIDDLE_WARP %
              4, /* its other warps do not do the boundaries: so the middle warp has it alone */
  /* claims elements and issues u: of the warps that have the most time, one that does no
   * boundaries */
  PRODUCER_WARP = MIDDLE_WARP + 4 < WARPS ? MIDDLE_WARP + 4 : MIDDLE_WARP % 4,
  BOUNDARY_WARPS = WARPS - 1 - (WARPS - 1 - SCHEDULER) / 4,
  TILES_EACH =
      (BP_NQ + BOUNDARY_WARPS - 1) / BOUNDARY_WARPS /* a tile has the pencils along t of a row */
};

/* Among the boundary warps. */
BP_DEVICE int boundary_rank_of(int warp)
{
  return warp - (warp + 3 - SCHEDULER) / 4;
}

/* The n-th row of a boundary warp; whether there is such a row. */
BP_DEVICE int boundary_row(int boundary_rank, int n)
{
  return boundary_rank + n * BOUNDARY_WARPS;
}

BP_DEVICE bool boundary_has(int boundary_rank, int n)
{
  return (n + 1) * BOUNDARY_WARPS <= BP_NQ || boundary_row(boundary_rank, n) < BP_NQ;
}

/* Where the lane's values are of a pencil along t. */
BP_DEVICE tile_offsets along_t(int step, int n)
{
  const int bytes = step * (int)sizeof(real), low = bp_lane() % 4 * bytes;
  const tile_offsets o = {{low, low}, {(n - 1) * bytes - low, (n - 1) * bytes - low}};
  return o;
}

/* Of those of a row, in the cube of values. */
BP_DEVICE tile_pointers boundary_cube_pointers(real *cube, int row)
{
  const tile_offsets lane = along_t(SLICE_SLAB, BP_NC);
  const int first = row * TILE_ROW + bp_lane() / 4;
  return boundary_pointers(cube, &lane, first, first + 8, SLICE_SLAB);
}

/* Where the middle slab of the element is: elements use two of them alternately. */
BP_DEVICE int middle_slab(const pipeline_item *of)
{
  return (of->barriers ? MIDDLE : BP_NC) * SLICE_SLAB;
}

/* Back along t without the middle slice: what it leaves for v. */
BP_DEVICE void boundary_partial(int boundary_rank, const tile_operators *m, real *cube,
                                tile_values *partial)
{
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && boundary_has(boundary_rank, n); ++n) {
    const tile_pointers at = boundary_cube_pointers(cube, boundary_row(boundary_rank, n));
    const tile_pointers at_t = tile_pointers_moved(&at, VALUES);
    boundary_back(m, &at, &at_t, SLICE_SLAB, OTHERS, &partial[n]);
  }
}

/* Adds the share of a row of the middle slab. */
BP_DEVICE void boundary_add_middle(int row, const tile_operators *m, const real *middle,
                                   tile_values *partial)
{
  const real *from = middle + row * TILE_ROW + bp_lane() / 4;
  BP_UNROLL
  for (int i = 0; i < TILE_PAIRS; ++i) {
    const real same = m->value_back.ninth_input[i % 2] * from[8 * (i / 2)];
    const real other = m->derivative_back.ninth_input[i % 2] * from[VALUES + 8 * (i / 2)];
    partial->low[i] += same + other;
    partial->high[i] += same - other;
  }
}

/* From a row of u to the cubes; the middle to a slab of its own. */
BP_DEVICE void boundary_row_there(int row, const tile_operators *m, const tile_values *u,
                                  real *cube, real *middle)
{
  const int q = bp_lane() % 4;
  tile_halves h;
  tile_split(u, &h);
  BP_WARP_BARRIER();
  tile_pointers at = boundary_cube_pointers(cube, row), at_t;
  tile_values x;
  at.ninth[0] = middle + row * TILE_ROW + bp_lane() / 4;
  at.ninth[1] = at.ninth[0] + 8;
  at_t = tile_pointers_moved(&at, VALUES);
  tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, &x);
  tile_write_both(&at, true, true, q, SLICE_SLAB, BP_NC, &x);
  tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, &h, &x);
  tile_write_both(&at_t, true, true, q, SLICE_SLAB, BP_NC, &x);
}

/* By a warp: its slices of the element that begins with `start`, the middle one last, before which the
 * middle warp arrives at slices_done; the others have to afterwards. Returns their part of u . A u. */
BP_DEVICE real middle_slices(const slice_pipeline *pipeline, const pipeline_item *start, int warp,
                             real *cube, const slice_lane *lane, const tile_operators *m,
                             real lambda, bp_mbarrier *slices_done)
{
  const bool has_middle = warp == MIDDLE_WARP;
  real energy = 0;
  BP_NO_UNROLL
  for (pipeline_item here = item_at(pipeline, *start, warp);
       here.n < OTHERS || (has_middle && here.n == SLICE_ITEMS(true) - 1);) {
    const bool is_middle = here.n == SLICE_ITEMS(true) - 1;
    if (is_middle)
      bp_mbarrier_arrive(slices_done);
    energy += slice_compute(
        cube + (is_middle ? middle_slab(&here) : item_slice(pipeline, here.n) * SLICE_SLAB), lane,
        m, lambda, pipeline, &here);
    item_advance(pipeline, &here, WARPS);
    if (has_middle && here.n == OTHERS)
      here = item_at(pipeline, *start, SLICE_ITEMS(true) - 1);
  }
  return energy;
}

#endif
