/* bp5/index-overflow -- bp5/two-kernel with an index of 32 bits, too few for the factors of many elements
 *
 * degrees:  1..3
 * operands: factors ids first copy_slots starts copied f diagonal x residuals r p ap copies state counts stride unknowns inner faces_end edges_end
 * option:   correct 0..1 = 0 -- without the bug
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * bytes:    8 * jacobi * unknowns + fields * (48 * unknowns + 16 * unknowns / history + 16 * inner + 16 * elements * surface_nodes) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared 8 * (factors_slot + vectors_slot + elements_per_block * ((cubes - 2) * cube + buffer_rt + buffer_st))
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8) */
#include "lib/solve/two_kernel.h"

/* By the first warp: the factors of a batch come. */
BP_DEVICE void factors_load_planted(double *slot, const double *factors, int batch, int elements,
                                    bp_mbarrier *full)
{
  const int here = batch_elements(batch, elements), each = BP_COMPONENTS * POINTS_3D;
  const size_t begin = (size_t)batch * ELEMENTS_PER_BLOCK * each;
  if (here > 0)
    slot_prefetch(slot, factors, CORRECT ? begin : (size_t)(int)begin, here * each,
                  evict_first_factors(batch), full);
}
#define factors_load factors_load_planted

BP_DEVICE void factors_next_planted(factor_slot *f, item next, int elements)
{
  if (next.field == 0) {
    f->parity ^= 1;
    if (bp_warp() == 0)
      factors_load(f->slot, f->factors, next.batch, elements, f->full);
  }
}
#define factors_next factors_next_planted
#include "lib/solve/apply_bp5.h"
