/* bp3.5/tensor -- a warp per slice; factors by bulk copies; contractions on the tensor cores
 *
 * degrees:  7..15
 * option:   warps 1..16 = 8 -- warps of a block
 * option:   slots 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * launch:   apply; threads 32 * warps; blocks min(elements, sms * blocks_per_sm); shared real * (slots_used * slice_slot + 2 * values + nodes_slot)
 *
 * For each element: all warps differentiate along t, from u to two cubes in shared memory that hold u and its t
 * derivative. Then a warp takes a slice (k fixed) alone: along s, along r, the gradient times the factors in
 * registers, and back. Then all warps contract along t from the cubes to v, in one loop with the boundary of the
 * next element. pipeline_slices.h brings the factors. */
#include "lib/operator/bp35_mma_slice.h"
#include "lib/schedule/stagger.h"

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(false)]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  BP_SHARED(int, claimed, [2]);
  const slice_pipeline pipeline = {shared, u, factors, elements, full, claimed, false};
  double *u_slot = shared + SLOTS_USED * SLICE_SLOT, *cube = u_slot + NODES_SLOT;

  stagger_start(STAGGER, BLOCKS_PER_SM);
  pipeline_init(&pipeline);
  nodes_start(u_slot, u, elements, u_full);
  int number = bp_thread() == 0 ? scheduler_claim(elements, 1) : 0;

  tile_matrix there = tile_matrix_load(TILE_DERIVATIVE, false),
              back = tile_matrix_load(TILE_DERIVATIVE, true);
  const slice_lane lane = slice_lane_of();
  pipeline_start(&pipeline);
  tile_matrix_finish(TILE_DERIVATIVE, false, &there);
  tile_matrix_finish(TILE_DERIVATIVE, true, &back);
  if (bp_thread() == 0)
    pipeline_claim_second(&pipeline, scheduler_element(number, 1));

  double *to = 0;
  int parity = 0;
  for (pipeline_item start = item_start();; item_next_element(&pipeline, &start)) {
    const int e = start.element;
    const size_t first = (size_t)e * NODES_3D;
    if (e < elements)
      bp_mbarrier_wait(u_full, parity);
    boundary(to, e < elements ? u_slot + slot_offset(first) : 0, &there, &back, cube, VALUES);
    if (e >= elements)
      break;
    to = v + first;
    parity ^= 1;
    BP_BARRIER();
    if (bp_warp() == 0)
      nodes_prefetch(u_slot, u, *item_following(&pipeline, &start), elements, u_full);
    if (bp_thread() == 0)
      number = scheduler_claim(elements, 1);
    BP_NO_UNROLL
    for (pipeline_item here = item_at(&pipeline, start, bp_warp()); here.n < BP_NC;
         item_advance(&pipeline, &here, WARPS))
      slice_compute(cube, VALUES, &lane, &there, &back, lambda, &pipeline, &here);
    if (bp_thread() == 0)
      item_claim_following(&pipeline, &start, scheduler_element(number, 1));
    BP_BARRIER();
  }
}
