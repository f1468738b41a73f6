/* apply_bp3_mma.h -- apply_mma.h with the operator of bp3.0/tensor.
 *
 * factors: ekcji align 2 tiled
 * size: values = nc * slice_slab -- from the cube of values to that of t derivatives */
#ifndef BP_KERNELS_SOLVE_APPLY_BP3_MMA_H
#define BP_KERNELS_SOLVE_APPLY_BP3_MMA_H

#include "lib/operator/bp30_mma_slice.h"

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

BP_DEVICE double mma_slice(double *cube, const slice_lane *lane, const mma_operator *m,
                           double lambda, const slice_pipeline *pipeline, const pipeline_item *here)
{
  return slice_compute(cube + here->n * SLICE_SLAB, lane, m, lambda, pipeline, here);
}

#include "lib/solve/apply_mma.h"

#endif
