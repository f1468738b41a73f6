/* bp3.0/tensor-middle-slice -- as tensor; one warp takes the middle slice while the others do the boundaries
 *
 * degrees:  15..15
 * factors:  ekcji align 2 tiled
 * option:   warps 2..16 = 8 -- warps of a block
 * option:   slots 3..16 = 9 -- slices of factors, or halves of u, in shared memory at once
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     slots_used = slots < nc + 2 ? slots : nc + 2 -- no more than an element has slices and halves of u
 * launch:   apply; threads 32 * warps; blocks min(elements, sms); shared real * (slots * slice_slot + 2 * values)
 *
 * bp30_middle_slice.h tells how. */
#include "abi/gpu.h"
#include "lib/operator/bp30_middle_slice.h"
#include "lib/schedule/stagger.h"

/* Stores v, with the share of the middle slab. */
BP_DEVICE void boundary_finish(int boundary_rank, const tile_operators *m, const double *middle,
                               double *v, tile_values *partial)
{
  const int q = bp_lane() % 4, first = bp_lane() / 4;
  const tile_offsets in_v = along_t(NODES_2D, BP_NQ);
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && boundary_has(boundary_rank, n); ++n) {
    const int row = boundary_row(boundary_rank, n);
    boundary_add_middle(row, m, middle, &partial[n]);
    const tile_pointers to = boundary_pointers(v, &in_v, row * BP_NQ + first,
                                               row * BP_NQ + first + 8, NODES_2D);
    tile_write_both(&to, true, true, q, NODES_2D, BP_NQ, &partial[n]);
  }
}

/* From the halves of u, planes 0 to 7 and 8 to 15, to the cubes. */
BP_DEVICE void boundary_begin(int boundary_rank, const tile_operators *m, double *low, double *high,
                              double *cube, double *middle)
{
  const int q = bp_lane() % 4, first = bp_lane() / 4;
  const bool swapped = q % 2;
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && boundary_has(boundary_rank, n); ++n) {
    const int row = boundary_row(boundary_rank, n);
    tile_values u;
    tile_pointers in;
    BP_UNROLL
    for (int p = 0; p < 2; ++p) {
      const int pencil = row * BP_NQ + first + 8 * (p != swapped);
      in.low[p] = low + pencil + q * NODES_2D;
      in.high[p] = high + pencil + (7 - q) * NODES_2D;
      in.second[p] = in.high[p] - 4 * NODES_2D;
    }
    tile_read(&in, NODES_2D, BP_NQ, &u);
    tile_swap_back(swapped, &u);
    boundary_row_there(row, m, &u, cube, middle);
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, 1)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(true)]);
  BP_SHARED(bp_mbarrier,
            slices_done, [1]); /* all warps have computed their slices, except the middle one */
  BP_SHARED(bp_mbarrier, u_free, [1]); /* the boundary warps have read u */
  BP_SHARED(int, claimed, [2]);
  const slice_pipeline pipeline = {shared, u, factors, elements, full, claimed, true, NODES_3D};
  double *cube = shared + SLOTS_USED * SLICE_SLOT;

  stagger_start(STAGGER, 1);
  if (bp_thread() == 0) {
    bp_mbarrier_start(slices_done, 32 * WARPS);
    bp_mbarrier_start(u_free, 32 * BOUNDARY_WARPS);
  }
  pipeline_init(&pipeline);
  const int number = bp_thread() == 0 ? scheduler_claim(elements, 1) : 0;

  /* finished before the copies are issued, not after that as elsewhere: otherwise registers are
   * spilled */
  tile_operators m = tile_operators_load();
  tile_operators_finish(&m);
  const slice_lane lane = slice_lane_of(VALUES);
  const int warp = bp_keep(bp_warp()), boundary_rank = boundary_rank_of(warp);
  const bool on_boundary = warp % 4 != SCHEDULER;

  if (bp_thread() == 0)
    pipeline_claim_second(&pipeline, scheduler_element(number, 1));
  pipeline_start_u(&pipeline);
  pipeline_start(&pipeline);
  BP_BARRIER();

  pipeline_item before = item_before_start(&pipeline);
  for (pipeline_item start = item_start();; item_next_element(&pipeline, &start)) {
    const bool has_next = start.element < elements, has_before = before.element >= 0;
    int taken = 0;
    tile_values partial[TILES_EACH];
    if (on_boundary) {
      if (has_before)
        boundary_partial(boundary_rank, &m, cube, partial);
      if (has_next) {
        const pipeline_item first = item_at(&pipeline, before, ITEM_OF_U),
                            second = item_at(&pipeline, before, ITEM_OF_U + 1);
        double *low = item_wait(&pipeline, &first), *high = item_wait(&pipeline, &second);
        boundary_begin(boundary_rank, &m, low, high, cube, cube + middle_slab(&start));
        bp_mbarrier_arrive(u_free);
      }
    }
    BP_BARRIER();
    if (on_boundary && has_before)
      boundary_finish(boundary_rank, &m, cube + middle_slab(&before),
                      v + (size_t)before.element * NODES_3D, partial);
    if (!has_next)
      break;
    if (warp == PRODUCER_WARP) {
      bp_mbarrier_wait(u_free, start.barriers != 0);
      item_refill(&pipeline, item_at(&pipeline, before, ITEM_OF_U));
      item_refill(&pipeline, item_at(&pipeline, before, ITEM_OF_U + 1));
      if (bp_lane() == 0)
        taken = scheduler_claim(elements, 1);
      taken =
          bp_shuffle(taken, 0); /* waits for it here: 0.2 to 0.7 % faster than where it is needed */
    }
    middle_slices(&pipeline, &start, warp, cube, &lane, &m, lambda, slices_done);
    if (warp == PRODUCER_WARP && bp_lane() == 0)
      item_claim_following(&pipeline, &start, scheduler_element(taken, 1));
    if (warp != MIDDLE_WARP)
      bp_mbarrier_arrive(slices_done);
    if (on_boundary)
      bp_mbarrier_wait(slices_done, start.barriers != 0);
    before = start;
  }
}
