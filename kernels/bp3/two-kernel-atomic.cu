/* bp3/two-kernel-atomic -- conjugate gradients in two kernels an iteration, atomic sums
 *
 * degrees:  1..11
 * points:   1..5
 * requires: sm_90
 * factors:  ecijk
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks of apply that share a multiprocessor
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     scheme = 1 -- two kernels
 * size:     kept = history -- directions
 * size:     surface_atomic = 1 -- surface nodes of v are added by atomic operations
 * size:     threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- of a block
 * size:     cube_k = nq*nq -- doubles from plane to plane of a cube
 * size:     cube = nq*nq*nq -- from element to element
 * size:     vectors_slot = 2 * (inner_slot + surface_slot) -- r and p of an item
 * bytes:    8 * jacobi * unknowns + fields * (56 * unknowns + 16 * unknowns / history + 8 * inner + 24 * (unknowns - inner)) + elements * (4 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared 8 * (factors_slot + vectors_slot + elements_per_block * exchange)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 *
 * Two kernels an iteration. apply: p = r + beta p, v = A p and p . v by element. update: r -= alpha v, r . r, and x now
 * and then. Scalars stay on the device. Surface nodes are added by atomic operations:
 * fewer bytes, but results depend on their order. apply_bp3.h tells how threads share the work. */
#include "lib/solve/two_kernel.h"

#include "lib/solve/apply_bp3.h"
