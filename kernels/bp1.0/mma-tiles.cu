/* bp1.0/mma-tiles -- whole elements come by bulk copies; tiles of 16 pencils on the tensor cores
 *
 * degrees:  7..14
 * factors:  ecjki tiled 16
 * option:   warps 1..17 = 8 -- warps of a block
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     batch_elements = 1 -- of a batch
 * launch:   apply; threads 32 * warps; blocks min(elements, sms * blocks_per_sm); shared real * (batch_slot + nc * slab)
 *
 * bp10_mma_tiles.h tells how warps share the work. */
#include "lib/operator/bp10_mma_tiles.h"
#include "lib/pipeline/pipeline_batches.h"
#include "lib/schedule/tile_scheduler.h"

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, slot);
  BP_SHARED(bp_mbarrier, full, [2]); /* u, factors */
  double *cube = slot + BATCH_SLOT;
  BP_SHARED(int, claimed, [1]);
  const batch_pipeline pipeline = {u, factors, elements, slot, full, 1, WARPS - 1};
  batches_start_u(&pipeline);
  int number = bp_thread() == 32 * pipeline.producer ? scheduler_claim(elements, 0) : 0;
  tile_matrix there = tile_matrix_load(TILE_VALUE, false),
              back = tile_matrix_load(TILE_VALUE, true);
  const point_lane lane = point_lane_of();
  batches_start_factors(&pipeline);
  tile_matrix_finish(TILE_VALUE, false, &there);
  tile_matrix_finish(TILE_VALUE, true, &back);

  double *to = 0;
  int parity = 0, e = (int)blockIdx.x;
  for (;;) {
    const bool has_next = e < elements;
    if (has_next)
      batch_wait_u(&pipeline, 0, parity);
    boundary(false, to, has_next ? slot + slot_offset((size_t)e * NODES_3D) : 0, &there, &back,
             cube);
    if (!has_next)
      break;
    if (bp_thread() == 32 * pipeline.producer)
      scheduler_next(&number, elements, claimed);
    BP_BARRIER();
    const int next = *claimed;
    batch_next_u(&pipeline, 0, next);
    middle(&there, BP_NQ, BP_NC, cube);
    BP_BARRIER();
    batch_wait_factors(&pipeline, 0, parity);
    points(slot + U_SLOT + slot_offset((size_t)e * WEIGHTS), &there, &back, &lane, cube);
    BP_BARRIER();
    batch_next_factors(&pipeline, 0, next);
    middle(&back, BP_NC, BP_NQ, cube);
    BP_BARRIER();
    to = v + (size_t)e * NODES_3D;
    e = next;
    parity ^= 1;
  }
}
