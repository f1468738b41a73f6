/* bp3.0/tensor-middle-slice -- as tensor; one warp takes the middle slice while the others do the boundaries
 *
 * degrees:  15..15
 * requires: sm_90
 * factors:  ekcji align 2 tiled
 * option:   warps 2..16 = 8 -- warps of a block
 * option:   slots 3..16 = 9 -- slices of factors, or halves of u, in shared memory at once
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     slots_used = slots < nc + 2 ? slots : nc + 2 -- no more than an element has slices and halves of u
 * size:     cube = (nc + 1) * slice_slab -- from the cube of values to that of t derivatives: a slab more than slices
 * launch:   apply; threads 32 * warps; blocks min(elements, sms); shared 8 * (slots * slice_slot + 2 * cube)
 *
 * 17 slices are one too many for 8 warps, and more warps would have too few registers each: 7 warps would wait while
 * one computes the last slice. So the last one is the middle slice. A tile holds its t position separately
 * (mma_tile.h), so the boundary contractions along t of this element and of the next can do without it, and add its
 * share when it is there.
 *
 * While the middle warp computes the middle slice, the boundary warps do both boundaries. Two slabs hold the middle
 * slice alternately: one element's is in use while the next one's comes. */
#include "abi/gpu.h"
#include "lib/operator/bp30_mma_slice.h"
#include "lib/schedule/stagger.h"

enum {
  MIDDLE = BP_NC / 2,
  OTHERS = BP_NC - 1,
  MIDDLE_WARP =
      OTHERS % WARPS, /* computes the middle slice after another one: so WARPS <= OTHERS */
  SCHEDULER = MIDDLE_WARP %
              4, /* its other warps do not do the boundaries: so the middle warp has it alone */
  /* claims elements and issues u: of the warps that have the most time, one that does no
   * boundaries */
  PRODUCER_WARP = MIDDLE_WARP + 4 < WARPS ? MIDDLE_WARP + 4 : MIDDLE_WARP % 4,
  BOUNDARY_WARPS = WARPS - 1 - (WARPS - 1 - SCHEDULER) / 4,
  TILES_EACH =
      (BP_NQ + BOUNDARY_WARPS - 1) / BOUNDARY_WARPS /* a tile has the pencils along t of a row */
};

/* The n-th row of a boundary warp; whether there is such a row. */
BP_DEVICE int boundary_row(int boundary_rank, int n)
{
  return boundary_rank + n * BOUNDARY_WARPS;
}

BP_DEVICE bool boundary_has(int boundary_rank, int n)
{
  return (n + 1) * BOUNDARY_WARPS <= BP_NQ || boundary_row(boundary_rank, n) < BP_NQ;
}

/* Where the lane's values are of a pencil along t. */
BP_DEVICE tile_offsets along_t(int step, int n)
{
  const int bytes = step * (int)sizeof(double), low = bp_lane() % 4 * bytes;
  const tile_offsets o = {{low, low}, {(n - 1) * bytes - low, (n - 1) * bytes - low}};
  return o;
}

/* Of those of a row, in the cube of values. */
BP_DEVICE tile_pointers boundary_cube_pointers(double *cube, int row)
{
  const tile_offsets lane = along_t(SLICE_SLAB, BP_NC);
  const int first = row * TILE_ROW + bp_lane() / 4;
  return boundary_pointers(cube, &lane, first, first + 8, SLICE_SLAB);
}

/* Where the middle slab of the element is: elements use two of them alternately. */
BP_DEVICE int middle_slab(const pipeline_item *of)
{
  return (of->barriers ? MIDDLE : BP_NC) * SLICE_SLAB;
}

/* Back along t without the middle slice: what it leaves for v. */
BP_DEVICE void boundary_partial(int boundary_rank, const tile_operators *m, double *cube,
                                tile_values *partial)
{
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && boundary_has(boundary_rank, n); ++n) {
    const tile_pointers at = boundary_cube_pointers(cube, boundary_row(boundary_rank, n));
    const tile_pointers at_t = tile_pointers_moved(&at, CUBE);
    boundary_back(m, &at, &at_t, SLICE_SLAB, OTHERS, &partial[n]);
  }
}

/* Adds the share of the middle slab, and stores v. */
BP_DEVICE void boundary_finish(int boundary_rank, const tile_operators *m, const double *middle,
                               double *v, tile_values *partial)
{
  const int q = bp_lane() % 4, first = bp_lane() / 4;
  const tile_offsets in_v = along_t(NODES_2D, BP_NQ);
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && boundary_has(boundary_rank, n); ++n) {
    const double *from = middle + boundary_row(boundary_rank, n) * TILE_ROW + first;
    BP_UNROLL
    for (int i = 0; i < TILE_PAIRS; ++i) {
      const double same = m->value_back.ninth_input[i % 2] * from[8 * (i / 2)];
      const double other = m->derivative_back.ninth_input[i % 2] * from[CUBE + 8 * (i / 2)];
      partial[n].low[i] += same + other;
      partial[n].high[i] += same - other;
    }
    const tile_pointers to =
        boundary_pointers(v, &in_v, boundary_row(boundary_rank, n) * BP_NQ + first,
                          boundary_row(boundary_rank, n) * BP_NQ + first + 8, NODES_2D);
    tile_write_both(&to, true, true, q, NODES_2D, BP_NQ, &partial[n]);
  }
}

/* From the halves of u, planes 0 to 7 and 8 to 15, to the cubes; the middle to a slab of its own. */
BP_DEVICE void boundary_begin(int boundary_rank, const tile_operators *m, double *low, double *high,
                              double *cube, double *middle)
{
  const int q = bp_lane() % 4, first = bp_lane() / 4;
  const bool swapped = q % 2;
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && boundary_has(boundary_rank, n); ++n) {
    tile_halves h;
    tile_values y;
    tile_pointers in;
    BP_UNROLL
    for (int p = 0; p < 2; ++p) {
      const int pencil = boundary_row(boundary_rank, n) * BP_NQ + first + 8 * (p != swapped);
      in.low[p] = low + pencil + q * NODES_2D;
      in.high[p] = high + pencil + (7 - q) * NODES_2D;
      in.second[p] = in.high[p] - 4 * NODES_2D;
    }
    tile_read(&in, NODES_2D, BP_NQ, &y);
    tile_swap_back(swapped, &y);
    tile_split(&y, &h);
    BP_WARP_BARRIER();
    tile_pointers at = boundary_cube_pointers(cube, boundary_row(boundary_rank, n)), at_t;
    tile_values x;
    at.ninth[0] = middle + boundary_row(boundary_rank, n) * TILE_ROW + first;
    at.ninth[1] = at.ninth[0] + 8;
    at_t = tile_pointers_moved(&at, CUBE);
    tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, &h, &x);
    tile_write_both(&at, true, true, q, SLICE_SLAB, BP_NC, &x);
    tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, &h, &x);
    tile_write_both(&at_t, true, true, q, SLICE_SLAB, BP_NC, &x);
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
  const slice_pipeline pipeline = {shared, u, factors, elements, full, claimed, true};
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
  const slice_lane lane = slice_lane_of(CUBE);
  const int warp = bp_keep(bp_warp()), boundary_rank = warp - (warp + 3 - SCHEDULER) / 4;
  const bool has_middle = warp == MIDDLE_WARP, on_boundary = warp % 4 != SCHEDULER;

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
    BP_NO_UNROLL
    for (pipeline_item here = item_at(&pipeline, start, warp);
         here.n < OTHERS || (has_middle && here.n == SLICE_ITEMS(true) - 1);) {
      const bool is_middle = here.n == SLICE_ITEMS(true) - 1;
      if (is_middle)
        bp_mbarrier_arrive(slices_done);
      slice_compute(
          cube + (is_middle ? middle_slab(&here) : item_slice(&pipeline, here.n) * SLICE_SLAB),
          &lane, &m, lambda, &pipeline, &here);
      item_advance(&pipeline, &here, WARPS);
      if (has_middle && here.n == OTHERS)
        here = item_at(&pipeline, start, SLICE_ITEMS(true) - 1);
    }
    if (warp == PRODUCER_WARP && bp_lane() == 0)
      item_claim_following(&pipeline, &start, scheduler_element(taken, 1));
    if (!has_middle)
      bp_mbarrier_arrive(slices_done);
    if (on_boundary)
      bp_mbarrier_wait(slices_done, start.barriers != 0);
    before = start;
  }
}
