/* bp5/two-kernel-ranks -- two-kernel by any number of ranks: the same bits with all of them
 *
 * degrees:  1..12
 * requires: sm_90
 * factors:  ekcji
 * operands: factors ids first copy_slots starts copied bounds sent f x residuals r p ap copies outbox inbox mail post_ends posts state counts stride sent_count unknowns inner faces_end edges_end
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks of apply that share a multiprocessor
 * option:   cubes 2..3 = 3 -- cubes per element in shared memory
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     scheme = 1 -- two kernels
 * size:     kept = history -- directions
 * size:     exact_sums = 1 -- that no order changes
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * size:     threads = (elements_per_block * nq*nq + 31) / 32 * 32 -- of a block
 * size:     cube_k = nq % 2 == 1 ? nq*nq : same_bank(nq*nq, 1) -- doubles from plane to plane of a cube
 * size:     cube = buffer_rt -- from element to element
 * size:     vectors_slot = 2 * (inner_slot + surface_slot) -- r and p of an item
 * bytes:    fields * (48 * unknowns + 16 * unknowns / history + 16 * inner + 16 * elements * surface_nodes) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 * start:    total; threads 256; blocks 1; then rr
 * launch:   apply; threads threads; blocks max(1, min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm)); shared 8 * (factors_slot + vectors_slot + elements_per_block * ((cubes - 2) * cube + buffer_rt + buffer_st))
 * launch:   pack; threads 256; blocks max(1, min((elements * element_surface + 255) / 256, sms)); then exchange pap
 * launch:   update; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks))
 * launch:   total; threads 256; blocks 1; then rr
 * finish:   finish; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 *
 * Sums are exact, and v is added up in the order of the whole mesh: no number of blocks or ranks changes a bit. What
 * ranks tell each other goes to mailboxes in apply, element by element, and at the end of it and of update; without
 * them in pack and total.
 * apply_bp5.h tells how threads share the work. */
#include "lib/solve/two_kernel.h"

#include "lib/solve/apply_bp5.h"
