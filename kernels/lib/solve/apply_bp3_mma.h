/* apply_bp3_mma.h -- apply_mma.h with the operator of bp3.0/tensor. Factors lie as ekcji align 2 tiled. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP3_MMA_H
#define BP_KERNELS_SOLVE_APPLY_BP3_MMA_H

#include "lib/operator/bp30_mma_slice.h"
#include "lib/solve/line_tiles.h"

typedef tile_operators mma_operator;

BP_DEVICE mma_operator mma_operator_load()
{
  return tile_operators_load();
}

BP_DEVICE void mma_operator_finish(mma_operator *m)
{
  tile_operators_finish(m);
}

BP_DEVICE slice_lane mma_lane()
{
  return slice_lane_of(VALUES);
}

BP_DEVICE void mma_boundary(double *v, double *p, const mma_operator *m, double *cube)
{
  const cube_layout layout = {TILE_ROW, SLICE_SLAB, VALUES};
  boundary(v, p, m, cube, layout);
}

#if PREDICTED
/* As mma_boundary, but v goes to memory; returns the lane's part of v . v. */
BP_DEVICE double mma_boundary_lines(const node_line *lines, const element_places *to,
                                    double *p_cube, const mma_operator *m, double *cube)
{
  const cube_layout layout = {TILE_ROW, SLICE_SLAB, VALUES};
  const tile_offsets in_cube = tile_offsets_of(0, 0, layout.slab, BP_NC),
                     in_p = tile_offsets_of(0, 0, NODES_2D, BP_NQ);
  double squares = 0;
  BP_NO_UNROLL
  FOR_BOUNDARY_TILES(p)
  {
    const boundary_tile b = boundary_tile_of(p, cube, &in_cube, layout);
    if (to) {
      tile_values y;
      boundary_back(m, &b.at, &b.at_t, layout.slab, BP_NC, &y);
      if (b.in0)
        squares += line_store_tile(to, &lines[p], 0, &y);
      if (b.in1)
        squares += line_store_tile(to, &lines[p + 8], 1, &y);
    }
    if (p_cube)
      boundary_there(p_cube, &in_p, m, &b, layout.slab);
  }
  return squares;
}
#endif

BP_DEVICE double mma_slice(double *cube, const slice_lane *lane, const mma_operator *m,
                           double lambda, const slice_pipeline *pipeline, const pipeline_item *here)
{
  return slice_compute(cube + here->n * SLICE_SLAB, lane, m, lambda, pipeline, here);
}

#include "lib/solve/apply_mma.h"

#endif
