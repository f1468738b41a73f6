/* bp3.0/tensor -- a warp per slice; factors by bulk copies; contractions on the tensor cores
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 tiled
 * option:   warps 1..17 = 6 -- warps of a block
 * option:   slots 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from a block's beginning to the next one's
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors that leave L2 first; beyond 16 also of u
 * launch:   apply; threads 32 * warps; blocks elements < sms * blocks_per_sm ? elements : sms * blocks_per_sm; shared 8 * (slots * ((7 * nc*nc + 31) / 16 * 16) + 2 * nc * ((nc * (nq % 8 == 0 ? nq + 1 : nq) + 3) / 8 * 8 + 4) + (nq*nq*nq + 31) / 16 * 16)
 *
 * Interpolation and differentiation along t come first and their transposes last, for the whole element:
 * two cubes in shared memory hold u and its t derivative at the points of t. In between everything
 * belongs to one slice, and a warp goes through it alone: along s, then along r, where the gradient
 * meets the factors in registers, and back. The derivative in a direction is one contraction from nodes
 * to points, by D I. Between s and r three slabs have to pass through the two that there are: what would
 * be the third waits in registers. */
#include "lib/schedule/stagger.h"
#include "abi/gpu.h"

#define SLABS BP_NC
#include "lib/operator/bp30_mma_slice.h"

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [ITEM_BARRIERS]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  BP_SHARED(int, claimed, [2]);
  const slice_pipeline ring = {shared, u, factors, elements, full, claimed};
  double *cube = shared + SLOTS_USED * SLICE_SLOT, *u_slot = cube + 2 * CUBE;

  stagger_start(BLOCKS_PER_SM);
  pipeline_init(&ring);
  nodes_start(u_slot, u, elements, u_full);
  int number = bp_thread() == 0 ? scheduler_claim(elements, 1) : 0;

  tile_operators m = tile_operators_load();
  const slice_lane lane = slice_lane_of();
  pipeline_start(&ring);
  tile_operators_finish(&m);
  if (bp_thread() == 0)
    pipeline_claim_second(&ring, number);

  double *to = 0;
  int parity = 0;
  for (pipeline_item start = item_start();; item_next_element(&ring, &start)) {
    const int e = start.element;
    const size_t first = (size_t)e * NODES;
    if (e < elements)
      bp_mbarrier_wait(u_full, parity);
    boundary(to, e < elements ? u_slot + bulk_offset(first) : 0, &m, cube);
    if (e >= elements)
      break;
    to = v + first;
    parity ^= 1;
    BP_BARRIER();
    if (bp_thread() == 0) {
      nodes_prefetch(u_slot, u, *item_following(&ring, &start), elements, u_full);
      number = scheduler_claim(elements, 1);
    }
    BP_NO_UNROLL
    for (pipeline_item here = item_at(start, bp_warp()); here.n < BP_NC; item_advance(&here, WARPS))
      slice_compute(cube + here.n * SLAB, &lane, &m, lambda, &ring, &here);
    if (bp_thread() == 0)
      item_claim_following(&ring, &start, number);
    BP_BARRIER();
  }
}
