/* solve/merged -- conjugate gradients, one kernel with all that the operator needs and makes
 *
 * operators: bp1, bp1-mma-rows, bp1-mma-tiles, bp3 1..11, bp3-mma 7..14, bp5 1..13
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   history 4..16 = 9 -- vectors of directions p and buffers: x is updated every history - 1 - atomic iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * bytes:    real * (jacobi * unknowns + fields * (6 * unknowns + inner + (atomic ? 4 * (unknowns - inner) : unknowns - inner + 2 * elements * surface_nodes))) + fields * (2 * real * unknowns / kept) + elements * ((atomic ? 4 : 8) * surface_nodes + stored * element_factors)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads block_threads; blocks min(min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm), 2048); shared real * apply_shared
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   residual; threads 256; blocks 1
 *
 * Two kernels an iteration. apply: r -= alpha v, p = r + beta p, v = A p and the sums from which alpha and beta follow.
 * update: v at surface nodes, from copies in a fixed order: the same bits every time; and x now and then. With atomic
 * operations its part is v . v at surface nodes: fewer bytes, but results depend on their order. Scalars stay on the
 * device. merged.h tells how, the operator's header how threads share the work. */
#include "lib/solve/merged_surface.h"

#include "lib/solve/apply_OPERATOR.h"
