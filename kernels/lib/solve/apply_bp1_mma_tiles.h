/* apply_bp1_mma_tiles.h -- apply_bp1_mma.h with the operator of bp1.0/mma-tiles.
 *
 * degrees: 7..14
 * factors: ecjki tiled 16
 * way: contractions on the tensor cores in tiles of 16 pencils */
#ifndef BP_KERNELS_SOLVE_APPLY_BP1_MMA_TILES_H
#define BP_KERNELS_SOLVE_APPLY_BP1_MMA_TILES_H

#include "lib/operator/bp10_mma_tiles.h"

#include "lib/solve/apply_bp1_mma.h"

#endif
