/* bp3/predicted-mma -- as predicted, contractions on the tensor cores
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 tiled
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   elements_per_block 1..1 = 1 -- elements of a batch
 * option:   warps 1..17 = 7 -- warps of a block of apply that compute
 * option:   vector_warps 1..8 = 1 -- and that move vectors
 * option:   slots 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks of apply that share a multiprocessor
 * option:   history 3..16 = 9 -- directions p that are kept: x is updated every history - 1 iterations
 * option:   update_blocks 1..8 = 4 -- blocks of surface and of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     block_threads = 32 * (warps + vector_warps) -- of a block of apply
 * size:     scheme = 4 -- predicted
 * size:     kept = history -- directions
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * size:     slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * size:     values = nc * slice_slab -- from the cube of values to that of t derivatives
 * bytes:    16 * jacobi * unknowns + fields * (64 * unknowns + 16 * unknowns / (history - 1) + 16 * elements * surface_nodes) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads block_threads; blocks min(elements, sms * blocks_per_sm); shared 8 * (slots_used * slice_slot + 2 * values + nodes_slot + 2 * nq*nq)
 * launch:   surface; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, min(sms * update_blocks, 2048))
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, min(sms * update_blocks, 2048))
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 *
 * apply: v = A p, p . v by element and v . v. surface: v at surface nodes, from copies in a fixed order: the same bits
 * every time. update: r -= alpha v, p = r + beta p with a predicted beta, r . r, and x now and then. So apply has the
 * memory and registers of an operator. predicted.h tells how, apply_mma.h tells how threads share the work. */
#include "lib/solve/predicted.h"

#include "lib/solve/apply_bp3_mma.h"
