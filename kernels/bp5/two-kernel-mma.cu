/* bp5/two-kernel-mma -- as two-kernel, contractions on the tensor cores
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 rotated
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   elements_per_block 1..1 = 1 -- elements of a batch
 * option:   warps 1..17 = 8 -- warps of a block of apply that compute
 * option:   vector_warps 2..8 = 4 -- and that move vectors
 * option:   slots 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks of apply that share a multiprocessor
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     block_threads = 32 * (warps + vector_warps) -- of a block of apply
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * size:     slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * size:     row = nq + (nq + 1) % 2 -- doubles from row to row of a cube of values
 * size:     slab = (nq * row + 3) / 8 * 8 + 4 -- from slab to slab: 4 or 12 banks of 16
 * size:     values = nq * slab -- from the cube of values to that of t derivatives
 * bytes:    8 * jacobi * unknowns + fields * (48 * unknowns + 16 * unknowns / history + 16 * inner + 16 * elements * surface_nodes) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads block_threads; blocks min(elements, sms * blocks_per_sm); shared 8 * (slots_used * slice_slot + 2 * values + 2 * nodes_slot)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 *
 * Two kernels an iteration. apply: p = r + beta p, v = A p and p . v by element. update: r -= alpha v, r . r, and x now
 * and then. Scalars stay on the device. Surface nodes of v are stored as copies, which update
 * sums in a fixed order: the same bits every time. apply_mma.h tells how threads share the work. */
#include "lib/solve/two_kernel.h"

#include "lib/solve/apply_bp5_mma.h"
