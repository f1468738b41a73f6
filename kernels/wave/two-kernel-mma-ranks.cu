/* wave/two-kernel-mma-ranks -- two-kernel-mma by any number of ranks: the same bits with all of them
 *
 * operands: factors ids first copy_slots starts copied sent f f_before x x_before inverse_mass waves ap copies outbox inbox mail point_elements point_weights signals traces counts stride sent_count unknowns inner faces_end edges_end
 * size:     exact_sums = 1 -- ranks exchange copies
 * launch:   step; threads block_threads; blocks max(1, min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm)); shared real * step_shared
 * launch:   sources; threads 256; blocks 1
 * launch:   pack; threads 256; blocks max(1, min((elements * element_surface + 255) / 256, sms)); then exchange
 * launch:   surface; threads 256; blocks max(1, min((elements * element_surface + 2047) / 2048, sms * update_blocks))
 * launch:   points; threads 256; blocks 1
 *
 * What ranks tell each other goes out in pack. Sources act on v, before. step_mma.h tells how threads share the work. */
#include "lib/wave/step_mma.h"
