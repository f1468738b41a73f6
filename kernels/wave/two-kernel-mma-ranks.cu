/* wave/two-kernel-mma-ranks -- two-kernel-mma by any number of ranks: the same bits with all of them
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 rotated
 * operands: factors ids first copy_slots starts copied sent f f_before x x_before inverse_mass waves ap copies outbox inbox mail point_elements point_weights signals traces counts stride sent_count unknowns inner faces_end edges_end
 * option:   elements_per_block 1..1 = 1 -- elements of a batch
 * option:   warps 1..17 = 8 -- warps of a block of step that compute
 * option:   vector_warps 2..8 = 4 -- and that move vectors
 * option:   pieces 1..4 = 2 -- pieces of 128 nodes of each of these in shared memory at once
 * option:   slots 1..17 = 5 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks of step that share a multiprocessor
 * option:   update_blocks 1..8 = 4 -- blocks of surface that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * size:     block_threads = 32 * (warps + vector_warps) -- of a block of step
 * size:     slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * size:     row = nq + (nq + 1) % 2 -- doubles from row to row of a cube of values
 * size:     slab = (nq * row + 3) / 8 * 8 + 4 -- from slab to slab: 4 or 12 banks of 16
 * size:     values = nq * slab -- from the cube of values to that of t derivatives
 * size:     exact_sums = 1 -- ranks exchange copies
 * size:     history = 1 -- nothing is kept
 * bytes:    32 * unknowns + 8 * (unknowns - inner) + elements * (24 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 * launch:   step; threads block_threads; blocks max(1, min(elements, sms * blocks_per_sm)); shared 8 * (slots_used * slice_slot + 2 * values + 2 * nodes_slot + vector_warps * pieces * 3 * piece_slot)
 * launch:   sources; threads 256; blocks 1
 * launch:   pack; threads 256; blocks max(1, min((elements * element_surface + 255) / 256, sms)); then exchange
 * launch:   surface; threads 256; blocks max(1, min((elements * element_surface + 2047) / 2048, sms * update_blocks))
 * launch:   points; threads 256; blocks 1
 * finish:   finish; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 *
 * step_mma.h tells how threads share the work. */
#include "lib/wave/step_mma.h"
