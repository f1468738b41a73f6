/* bp3.0/tensor -- a warp per slice; factors by bulk copies; contractions on the tensor cores
 *
 * degrees:  7..15
 * factors:  ekcji align 2 tiled
 * option:   warps 1..17 = 6 -- warps of a block
 * option:   slots 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * size:     cube = nc * slice_slab -- doubles of a cube
 * launch:   apply; threads 32 * warps; blocks min(elements, sms * blocks_per_sm); shared real * (slots_used * slice_slot + 2 * cube + nodes_slot)
 *
 * Blocks are persistent. A slice has the points of one k, a slab is its part of a cube, a pencil the values along one
 * direction. First the block's first u and a slice for each slot are issued, and its second element is claimed. One
 * turn of the loop over elements, downwards in time:
 *
 *   thread 0, before its slices       all warps                                     shared memory
 *                                     wait u_full: u is here                        slot of u
 *                                     boundary: v of the element before leaves,     cubes -> v
 *                                     u is contracted along t (values, u_t)         slot of u -> cubes
 *   ---------------------------------- BP_BARRIER ----------------------------------
 *   issue u of the next element       warp w computes slices w, w + warps, ...      a slab of each cube
 *   claim the element after that        slice_wait: its factors are here            slots of factors
 *                                       item_refill: issue those that come next
 *   write down what was claimed
 *   ---------------------------------- BP_BARRIER ----------------------------------
 *
 * Where to read: pipeline_slices.h (who issues and who waits), bp30_mma_boundary.h, bp30_mma_slice.h (what the slabs
 * hold, step by step), mma_tile.h (which values a lane has), mma_layout.h (where they lie), factor_slices.h and
 * tile_scheduler.h (copies, claims), abi/gpu.h (barriers). After a change:
 * `bp check --backend emulate bp3.0/tensor --degree 7,8,14,15` (an odd and an even nc, the widest tile, the ninth
 * position) and `bp list bp3.0/tensor --arch sm_90 --degrees 7,15` (registers, spills), with BP_KERNEL_DIR=kernels. */
#include "abi/gpu.h"
#include "lib/operator/bp30_mma_slice.h"
#include "lib/schedule/stagger.h"

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  /* slots of factors | cube of values | cube of t derivatives | slot of u */
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(false)]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  BP_SHARED(int, claimed, [2]);
  const slice_pipeline pipeline = {shared, u, factors, elements, full, claimed, false};
  double *cube = shared + SLOTS_USED * SLICE_SLOT, *u_slot = cube + 2 * CUBE;
  const cube_layout layout = {TILE_ROW, SLICE_SLAB, CUBE};

  stagger_start(STAGGER, BLOCKS_PER_SM);
  pipeline_init(&pipeline);
  nodes_start(u_slot, u, elements, u_full);
  int number = bp_thread() == 0 ? scheduler_claim(elements, 1) : 0;

  /* matrices and addresses while u is on its way */
  tile_operators m = tile_operators_load();
  const slice_lane lane = slice_lane_of(CUBE);
  pipeline_start(&pipeline);
  tile_operators_finish(&m);
  if (bp_thread() == 0)
    pipeline_claim_second(&pipeline, scheduler_element(number, 1));

  double *v_before = 0; /* v of the element before, which the cubes still hold */
  int parity = 0;
  for (pipeline_item start = item_start();; item_next_element(&pipeline, &start)) {
    const int e = start.element;
    const size_t first = (size_t)e * NODES_3D;
    if (e < elements)
      bp_mbarrier_wait(u_full, parity);
    boundary(v_before, e < elements ? u_slot + slot_offset(first) : 0, &m, cube, layout);
    if (e >= elements)
      break;
    v_before = v + first;
    parity ^= 1;
    BP_BARRIER(); /* the cubes are full, the slot of u is free */
    if (bp_warp() == 0)
      nodes_prefetch(u_slot, u, *item_following(&pipeline, &start), elements, u_full);
    if (bp_thread() == 0)
      number = scheduler_claim(elements, 1);
    BP_NO_UNROLL
    for (pipeline_item here = item_at(&pipeline, start, bp_warp()); here.n < BP_NC;
         item_advance(&pipeline, &here, WARPS))
      slice_compute(cube + here.n * SLICE_SLAB, &lane, &m, lambda, &pipeline, &here);
    if (bp_thread() == 0)
      item_claim_following(&pipeline, &start, scheduler_element(number, 1));
    BP_BARRIER(); /* the cubes hold what goes to v */
  }
}
