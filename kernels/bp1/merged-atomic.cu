/* bp1/merged-atomic -- as merged, atomic sums
 *
 * degrees:  1..15
 * points:   1..5
 * requires: sm_90
 * factors:  ecijk
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks of apply that share a multiprocessor
 * option:   history 4..16 = 10 -- vectors of directions p and buffers: x is updated every history - 2 iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     scheme = 2 -- merged
 * size:     kept = history - 2 -- directions; the other vectors are buffers of r and v
 * size:     surface_atomic = 1 -- surface nodes of v are added by atomic operations
 * size:     threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- of a block
 * size:     cube_k = nq*nq -- doubles from plane to plane of a cube
 * size:     cube = nq*nq*nq -- from element to element
 * size:     vectors_slot = 3 * (inner_slot + surface_slot) -- r, p and v of an item
 * bytes:    8 * jacobi * unknowns + fields * (48 * unknowns + 16 * unknowns / kept + 8 * inner + 32 * (unknowns - inner)) + elements * (4 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min(min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm), 2048); shared 8 * (factors_slot + vectors_slot + elements_per_block * (buffer_ts + max(buffer_sr_ecijk, cube)))
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   residual; threads 256; blocks 1
 *
 * Two kernels an iteration. apply: r -= alpha v, p = r + beta p, v = A p and the sums from which alpha and beta follow.
 * update: v . v at surface nodes, and x now and then. Surface nodes are added by atomic operations: fewer bytes, but
 * results depend on their order. merged.h tells how, apply_bp1.h how threads share the work. */
#include "lib/solve/merged_surface.h"

#include "lib/solve/apply_bp1.h"
