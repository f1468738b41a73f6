/* bp1/merged-mma-rows-atomic -- as merged-atomic, contractions on the tensor cores from rows of 16 nodes
 *
 * degrees:  15..15
 * requires: sm_90
 * factors:  ecikj align 2 tiled 16x8
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   elements_per_block 1..1 = 1 -- elements of a batch
 * option:   warps 1..17 = 9 -- warps of a block of apply
 * option:   blocks_per_sm 1..8 = 1 -- blocks of apply that share a multiprocessor
 * option:   history 4..16 = 10 -- vectors of directions p and buffers: x is updated every history - 2 iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     scheme = 2 -- merged
 * size:     kept = history - 2 -- directions; the other vectors are buffers of r and v
 * size:     surface_atomic = 1 -- surface nodes of v are added by atomic operations
 * size:     threads = 32 * warps -- of a block
 * size:     cube_k = nq*nq -- doubles from plane to plane of the nodes
 * size:     cube = nq*nq*nq -- from element to element
 * size:     nodes_slot = (cube + 15) / 16 * 16 -- doubles of the nodes in shared memory
 * size:     vectors_slot = 3 * (inner_slot + surface_slot) -- r, p and v of an item
 * bytes:    8 * jacobi * unknowns + fields * (48 * unknowns + 16 * unknowns / kept + 8 * inner + 32 * (unknowns - inner)) + elements * (4 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min(min(elements, sms * blocks_per_sm), 2048); shared 8 * (factors_slot + vectors_slot + nodes_slot + nc * slab)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   residual; threads 256; blocks 1
 *
 * As merged-atomic (merged.h); apply_bp1_mma.h tells how threads share the work, bp10_mma_rows.h the operator. */
#include "lib/solve/merged_surface.h"

#include "lib/operator/bp10_mma_rows.h"

#include "lib/solve/apply_bp1_mma.h"
