/* apply_bp1_mma_rows.h -- apply_bp1_mma.h with the operator of bp1.0/mma-rows.
 *
 * degrees: 15..15
 * factors: ecikj align 2 tiled 16x8
 * way: contractions on the tensor cores from rows of 16 nodes
 * option: warps 1..17 = 9 -- warps of a block of apply */
#ifndef BP_KERNELS_SOLVE_APPLY_BP1_MMA_ROWS_H
#define BP_KERNELS_SOLVE_APPLY_BP1_MMA_ROWS_H

#include "lib/operator/bp10_mma_rows.h"

#include "lib/solve/apply_bp1_mma.h"

#endif
