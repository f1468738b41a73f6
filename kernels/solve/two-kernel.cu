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
 * Scalars stay on the device. One iteration:
 *
 *   apply    a block takes a batch of elements     in: r, p. p = r + beta p, v = A p
 *            after the other                       out: p, v of nodes inside elements, a copy of v of each
 *                                                  element's surface nodes; the block's part of p . v
 *   update   a block takes a chunk of unknowns     in: r, v, copies. v of a surface node is the sum of its copies,
 *            after the other                       in a fixed order: the same bits every time. r -= alpha v
 *                                                  out: r; the block's part of r . r; x, now and then
 *
 * Atomic operations instead of copies move fewer bytes, but results depend on their order.
 *
 * Where to read, for bp5: two_kernel.h (both kernels), apply_pencils.h (the loop of apply), columns_bp5.h (v = A p;
 * which thread has what), batches.h (how r and p come, how v leaves), vectors.h (update), sums.h (scalars),
 * numbering.h and src/fem/unknowns.h (which unknown is where). After a change:
 * `bp check --backend emulate bp5/two-kernel --degree 2,3` and `bp list bp5/two-kernel --arch sm_90 --degrees 3,7`
 * (registers, spills), with BP_KERNEL_DIR=kernels. */
#include "lib/solve/two_kernel.h"

#include "lib/solve/apply_OPERATOR.h"
