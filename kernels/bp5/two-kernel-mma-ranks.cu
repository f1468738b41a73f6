/* bp5/two-kernel-mma-ranks -- two-kernel-mma by any number of ranks: the same bits with all of them
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 rotated
 * operands: factors ids first copy_slots starts copied bounds sent f x residuals r p ap copies outbox inbox mail post_ends posts state counts stride sent_count unknowns inner faces_end edges_end
 * option:   elements_per_block 1..1 = 1 -- elements of a batch
 * option:   warps 1..17 = 8 -- warps of a block of apply that compute
 * option:   vector_warps 2..8 = 4 -- and that move vectors
 * option:   slots 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks of apply that share a multiprocessor
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     block_threads = 32 * (warps + vector_warps) -- of a block of apply
 * size:     exact_sums = 1 -- that no order changes
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * size:     slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * size:     row = nq + (nq + 1) % 2 -- doubles from row to row of a cube of values
 * size:     slab = (nq * row + 3) / 8 * 8 + 4 -- from slab to slab: 4 or 12 banks of 16
 * size:     values = nq * slab -- from the cube of values to that of t derivatives
 * bytes:    fields * (48 * unknowns + 16 * unknowns / history + 16 * inner + 16 * elements * surface_nodes) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 * start:    total; threads 256; blocks 1; then rr
 * launch:   apply; threads block_threads; blocks max(1, min(elements, sms * blocks_per_sm)); shared 8 * (slots_used * slice_slot + 2 * values + 2 * nodes_slot)
 * launch:   pack; threads 256; blocks max(1, min((elements * element_surface + 255) / 256, sms)); then exchange pap
 * launch:   update; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks))
 * launch:   total; threads 256; blocks 1; then rr
 * finish:   finish; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 *
 * Sums are exact, and v is added up in the order of the whole mesh: no number of blocks or ranks changes a bit. What
 * ranks tell each other goes to mailboxes in apply, element by element, and at the end of it and of update; without
 * them in pack and total.
 * apply_mma.h tells how threads share the work. */
#include "lib/solve/two_kernel.h"

#include "lib/solve/apply_bp5_mma.h"
