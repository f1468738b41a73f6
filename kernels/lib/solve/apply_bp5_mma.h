/* apply_bp5_mma.h -- apply_mma.h with the operator of bp3.5/tensor. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP5_MMA_H
#define BP_KERNELS_SOLVE_APPLY_BP5_MMA_H

#include "lib/operator/bp35_mma_slice.h"

typedef struct {
  tile_matrix there, back;
} mma_operator;

BP_DEVICE mma_operator mma_operator_load()
{
  const mma_operator m = {tile_matrix_load(TILE_DERIVATIVE, false),
                          tile_matrix_load(TILE_DERIVATIVE, true)};
  return m;
}

BP_DEVICE void mma_operator_finish(mma_operator *m)
{
  tile_matrix_finish(TILE_DERIVATIVE, false, &m->there);
  tile_matrix_finish(TILE_DERIVATIVE, true, &m->back);
}

BP_DEVICE slice_lane mma_lane()
{
  return slice_lane_of();
}

BP_DEVICE void mma_boundary(double *v, const double *p, const mma_operator *m, double *cube)
{
  boundary(v, p, &m->there, &m->back, cube, VALUES);
}

BP_DEVICE double mma_slice(double *cube, const slice_lane *lane, const mma_operator *m,
                           double lambda, const slice_pipeline *pipeline, const pipeline_item *here)
{
  return slice_compute(cube, VALUES, lane, &m->there, &m->back, lambda, pipeline, here);
}

#include "lib/solve/apply_mma.h"

#endif
