/* solve/two-kernel -- conjugate gradients in two kernels an iteration
 *
 * operators: bp1, bp3 1..11, bp3-mma, bp5 1..13, bp5-mma
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * bytes:    real * (jacobi * unknowns + fields * (6 * unknowns + 2 * inner + (atomic ? 4 * (unknowns - inner) : 2 * elements * surface_nodes))) + fields * (2 * real * unknowns / history) + elements * ((atomic ? 4 : 8) * surface_nodes + stored * element_factors)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads block_threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared real * apply_shared
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 *
 * Two kernels an iteration. apply: p = r + beta p, v = A p and p . v by element. update: r -= alpha v, r . r, and x now
 * and then. Scalars stay on the device. Surface nodes of v are stored as copies, which update sums in a fixed order: the
 * same bits every time. Atomic operations move fewer bytes, but results depend on their order. The operator's header
 * tells how threads share the work. */
#include "lib/solve/two_kernel.h"

#include "lib/solve/apply_OPERATOR.h"
