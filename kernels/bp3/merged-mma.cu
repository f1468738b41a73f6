/* bp3/merged-mma -- as merged, contractions on the tensor cores
 *
 * degrees:  7..14
 * requires: sm_90
 * factors:  ekcji align 2 tiled
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   elements_per_block 1..1 = 1 -- elements of a batch
 * option:   warps 1..17 = 8 -- warps of a block of apply that compute
 * option:   vector_warps 2..8 = 4 -- and that move vectors
 * option:   slots 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks of apply that share a multiprocessor
 * option:   history 3..16 = 9 -- vectors of directions p and buffers: x is updated every history - 1 iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     scheme = 2 -- merged
 * size:     kept = history - 1 -- directions; the other vectors are buffers of r
 * size:     block_threads = 32 * (warps + vector_warps) -- of a block of apply
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * size:     slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * size:     values = nc * slice_slab -- from the cube of values to that of t derivatives
 * bytes:    8 * jacobi * unknowns + fields * (48 * unknowns + 16 * unknowns / kept + 8 * inner + 8 * (unknowns - inner) + 16 * elements * surface_nodes) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads block_threads; blocks min(min(elements, sms * blocks_per_sm), 2048); shared 8 * (slots_used * slice_slot + 2 * values + 2 * nodes_slot + nq*nq*nq)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   residual; threads 256; blocks 1
 *
 * Kernels and sums are those of merged. apply_mma.h tells how threads share the work. */
#include "lib/solve/merged_surface.h"

#include "lib/solve/apply_bp3_mma.h"
