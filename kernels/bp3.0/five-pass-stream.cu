/* bp3.0/five-pass-stream -- as stream, in five passes: derivatives straight from the nodes by D I
 *
 * degrees:  1..9
 * precision: single
 * factors:  ecijk
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   extra_blocks 0..32 = 0 -- more blocks for each multiprocessor than fit at once: they start when others have ended
 * option:   dynamic 0..1 = 1 -- blocks claim batches from a work queue, instead of equal shares
 * option:   prefetch_constants 0..1 = 1 -- fetches the matrices into the constant caches before they are needed
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * launch:   apply; threads nc * nc * elements_per_block; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * (blocks_per_sm + extra_blocks)); shared real * (batch_slot + elements_per_block * exchange)
 * flops:    (nq / 2 * 2 + (nc + 1) / 2 * 2 * nq + nc) * (2 * nq*nq + 3 * nc*nq + 4 * nc*nc) + (nc / 2 * 4 + (nq + 1) / 2 * 4 * nc + nq) * (nq*nq + nc*nq + nc*nc) + (nc / 2 * 2 + (nq + 1) / 2 * 2 * nc + nq) * (nc*nq + 2 * nc*nc) + 17 * nc*nc*nc
 * shared traffic: real * (8 * nc*nq*nq + 12 * nc*nc*nq + 2 * (nq*nq*nq + 7 * nc*nc*nc))
 *
 * Persistent blocks; pipeline_batches.h brings batches of whole elements. The passes of bp30_five_passes.h have more
 * products than those of stream, but fewer values pass between threads, and there are half as many barriers. For
 * extra_blocks see stream.cu. */
#include "lib/operator/bp30_five_passes.h"
#include "lib/pipeline/pipeline_batches.h"
#include "lib/schedule/stagger.h"
#include "lib/schedule/tile_scheduler.h"

BP_KERNEL_BOUNDED(apply, ELEMENTS_PER_BLOCK *POINTS_2D, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  BP_SHARED(bp_mbarrier, full, [2]); /* u, factors */
  BP_SHARED(int, claimed, [1]);
  const int batches = (elements + ELEMENTS_PER_BLOCK - 1) / ELEMENTS_PER_BLOCK,
            b = threadIdx.x / POINTS_2D;
  const five_pass_pointers at =
      five_pass_pointers_of(shared + BATCH_SLOT, b, threadIdx.x % POINTS_2D);

  stagger_start(STAGGER, BLOCKS_PER_SM);
  const batch_pipeline pipeline = {u, factors, elements, shared, full, 1, 0};
  batches_start_u(&pipeline);
  int number = DYNAMIC && threadIdx.x == 0 ? scheduler_claim(batches, 0) : 0;
  batches_start_factors(&pipeline);
  if (PREFETCH_CONSTANTS)
    pencil_prefetch_constants(ELEMENTS_PER_BLOCK * POINTS_2D, PENCIL_DI);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    real x[BP_NQ];
    const size_t first = (size_t)batch * ELEMENTS_PER_BLOCK, e = first + b;

    batch_wait_u(&pipeline, 0, parity);
    if (at.p < NODES_2D)
      pencil_load(shared + slot_offset(first * NODES_3D) + b * NODES_3D + at.p, NODES_2D, BP_NQ, x);
    five_pass_t(&at, x);
    if (DYNAMIC && threadIdx.x == 0)
      scheduler_next(&number, batches, claimed);
    BP_BARRIER();
    const int next = DYNAMIC ? *claimed : batch_after(&pipeline, batch);
    batch_next_u(&pipeline, 0, next);
    five_pass_s(&at);
    BP_BARRIER();
    batch_wait_factors(&pipeline, 0, parity);
    five_pass_r(&at,
                shared + U_SLOT + slot_offset(first * ELEMENT_FACTORS) + b * ELEMENT_FACTORS + at.p,
                POINTS_2D, POINTS_3D, lambda);
    BP_BARRIER();
    batch_next_factors(&pipeline, 0, next);
    five_pass_back_s(&at);
    BP_BARRIER();
    five_pass_back_t(&at, x);
    if (at.p < NODES_2D && e < elements)
      pencil_store_streaming(v + e * NODES_3D + at.p, NODES_2D, BP_NQ, x);
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
