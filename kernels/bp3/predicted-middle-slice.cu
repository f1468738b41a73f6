/* bp3/predicted-middle-slice -- as predicted, on tensor cores; one warp takes the middle slice
 *
 * degrees:  15..15
 * requires: sm_90
 * factors:  ekcji align 2 tiled
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   elements_per_block 1..1 = 1 -- elements of a batch
 * option:   warps 2..16 = 8 -- warps of a block of apply
 * option:   slots 3..9 = 9 -- slices of factors, or halves of p, in shared memory at once
 * option:   history 3..16 = 9 -- directions p that are kept: x is updated every history - 1 iterations
 * option:   update_blocks 1..8 = 4 -- blocks of surface and of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     scheme = 4 -- predicted
 * size:     kept = history -- directions
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * size:     slots_used = min(slots, components < 7 ? 9 : 7) -- as many as fit
 * bytes:    16 * jacobi * unknowns + fields * (64 * unknowns + 16 * unknowns / (history - 1) + 16 * elements * surface_nodes) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads 32 * warps; blocks min(elements, sms); shared 8 * (slots_used * slice_slot + 2 * values + element_surface + 2 * nq*nq + element_surface / 2)
 * launch:   surface; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, min(sms * update_blocks, 2048))
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, min(sms * update_blocks, 2048))
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 *
 * Kernels and sums are those of predicted. apply is the operator of bp3.0/tensor-middle-slice, which waits less
 * for the last slices of an element: bp30_middle_slice.h tells how, apply_bp3_middle_slice.h how p comes and v goes. */
#include "lib/solve/predicted.h"

#include "lib/solve/apply_bp3_middle_slice.h"
