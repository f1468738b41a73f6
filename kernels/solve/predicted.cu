/* solve/predicted -- conjugate gradients in three kernels an iteration: the operator alone, then the vectors
 *
 * operators: bp3 1..11, bp3-middle-slice
 * precision: double
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   history 3..16 = 9 -- directions p that are kept: x is updated every history - 1 iterations
 * option:   update_blocks 1..8 = 4 -- blocks of surface and of update that share a multiprocessor
 * size:     atomic = 0 -- surface nodes of v are stored as copies
 * bytes:    16 * jacobi * unknowns + fields * (64 * unknowns + 16 * unknowns / (history - 1) + 16 * elements * surface_nodes) + elements * (8 * surface_nodes + 8 * element_factors)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads block_threads; blocks min(min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm), 2048); shared real * apply_shared
 * launch:   surface; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, min(sms * update_blocks, 2048))
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, min(sms * update_blocks, 2048))
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 *
 * apply: v = A p, p . v by element and v . v. surface: v at surface nodes, from copies in a fixed order: the same bits
 * every time. update: r -= alpha v, p = r + beta p with a predicted beta, r . r, and x now and then. So apply has the
 * memory and registers of an operator. predicted.h tells how, the operator's
 * header how threads share the work. */
#include "lib/solve/predicted.h"

#include "lib/solve/apply_OPERATOR.h"
