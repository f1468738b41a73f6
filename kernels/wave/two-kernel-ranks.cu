/* wave/two-kernel-ranks -- two-kernel by any number of ranks: the same bits with all of them
 *
 * degrees:  1..13
 * requires: sm_90
 * factors:  ekcji
 * operands: factors ids first copy_slots starts copied sent f f_before x x_before inverse_mass waves ap copies outbox inbox mail point_elements point_weights signals traces counts stride sent_count unknowns inner faces_end edges_end
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks of step that share a multiprocessor
 * option:   cubes 2..3 = 3 -- cubes per element in shared memory
 * option:   update_blocks 1..8 = 4 -- blocks of surface that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * size:     exact_sums = 1 -- ranks exchange copies
 * size:     history = 1 -- nothing is kept
 * size:     threads = (elements_per_block * nq*nq + 31) / 32 * 32 -- of a block
 * size:     cube_k = nq % 2 == 1 ? nq*nq : same_bank(nq*nq, 1) -- doubles from plane to plane of a cube
 * size:     cube = buffer_rt -- from element to element
 * bytes:    32 * unknowns + 8 * (unknowns - inner) + elements * (24 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 * launch:   step; threads threads; blocks max(1, min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm)); shared 8 * (factors_slot + wave_slot + elements_per_block * ((cubes - 2) * cube + buffer_rt + buffer_st))
 * launch:   sources; threads 256; blocks 1
 * launch:   pack; threads 256; blocks max(1, min((elements * element_surface + 255) / 256, sms)); then exchange
 * launch:   surface; threads 256; blocks max(1, min((elements * element_surface + 2047) / 2048, sms * update_blocks))
 * launch:   points; threads 256; blocks 1
 * finish:   finish; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 *
 * What ranks tell each other goes out in pack. Sources act on v, before. step.h tells how threads share the work. */
#include "lib/wave/step.h"
