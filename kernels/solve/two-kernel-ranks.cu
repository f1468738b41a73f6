/* solve/two-kernel-ranks -- two-kernel by any number of ranks: the same bits with all of them
 *
 * operators: bp1, bp3 1..11, bp3-mma, bp5 1..12, bp5-mma
 * operands: factors ids first copy_slots starts copied bounds sent f diagonal x residuals r p ap copies outbox inbox mail post_ends posts state counts stride sent_count unknowns inner faces_end edges_end
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * size:     exact_sums = 1 -- that no order changes
 * size:     atomic = 0 -- surface nodes of v are stored as copies
 * bytes:    real * (jacobi * unknowns + fields * (6 * unknowns + 2 * unknowns / history + 2 * inner + 2 * elements * surface_nodes)) + elements * (8 * surface_nodes + stored * element_factors)
 * start:    start; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 * start:    total; threads 256; blocks 1; then rr
 * launch:   apply; threads block_threads; blocks max(1, min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm)); shared real * apply_shared
 * launch:   pack; threads 256; blocks max(1, min((elements * element_surface + 255) / 256, sms)); then exchange pap
 * launch:   update; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks))
 * launch:   total; threads 256; blocks 1; then rr
 * finish:   finish; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 *
 * Sums are exact, and v is added up in the order of the whole mesh: no number of blocks or ranks changes a bit. What
 * ranks tell each other goes to mailboxes in apply, element by element, and at the end of it and of update; without
 * them in pack and total. The operator's header tells how threads share the work. */
#include "lib/solve/two_kernel.h"

#include "lib/solve/apply_OPERATOR.h"
