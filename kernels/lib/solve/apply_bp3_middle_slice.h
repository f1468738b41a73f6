/* apply_bp3_middle_slice.h -- v = A p and p . v at 17 points: bp3.0/tensor-middle-slice between vectors
 *
 * A scheme where p is there before (PREDICTED) goes before it. Inner nodes of p come in halves, as u does there; those
 * on the surface go to a place of their own, by the producer warp through the list of ids, which comes an element
 * earlier. v leaves from registers. The producer waits for its copies before it arrives at slices_done; the middle warp
 * has arrived by then, so they must be two.
 *
 * degrees: 15..15
 * factors: ekcji align 2 tiled
 * way: on tensor cores; one warp takes the middle slice
 * option: warps 6..16 = 8 -- warps of a block of apply; with fewer the middle warp would be the producer, too
 * option: slots 3..9 = 9 -- slices of factors, or halves of p, in shared memory at once
 * size: atomic = 0 -- surface nodes of v are stored as copies
 * size: elements_per_block = 1 -- elements of a batch
 * size: blocks_per_sm = 1 -- blocks of apply that share a multiprocessor
 * size: block_threads = 32 * warps -- of a block of apply
 * size: slots_used = min(slots, components < 7 ? 9 : 7) -- as many as fit
 * size: threads = 32 -- that move the surface
 * size: cube_k = nq*nq -- from plane to plane of an element
 * size: cube = nq*nq*nq -- an element
 * size: apply_shared = slots_used * slice_slot + 2 * values + element_surface + 2 * nq*nq + element_surface / 2 -- doubles of shared memory */
#ifndef BP_KERNELS_SOLVE_APPLY_BP3_MIDDLE_SLICE_H
#define BP_KERNELS_SOLVE_APPLY_BP3_MIDDLE_SLICE_H

#include "lib/operator/bp30_middle_slice.h"
#include "lib/solve/line_tiles.h"

/* p of an element in shared memory: inner nodes with k < NQ/2 and the others, both counted from the first
 * one; the surface. */
typedef struct {
  const real *inner[2], *surface;
} element_slots;

BP_DEVICE real line_load(const element_slots *from, const node_line *line, int k)
{
  return (line_is_inner(line, k) ? from->inner[k / (BP_NQ / 2)]
                                 : from->surface)[line_node(line, k)];
}

/* The lane's values of its pencil h of two. */
BP_DEVICE void line_load_tile(const element_slots *from, const node_line *line, int h,
                              tile_values *x)
{
  const int q = bp_lane() % 4;
  BP_UNROLL
  for (int n = 0; n < 2; ++n) {
    x->low[2 * h + n] = line_load(from, line, q + 4 * n);
    x->high[2 * h + n] = line_load(from, line, BP_N - q - 4 * n);
  }
}

/* From p to the cubes. */
BP_DEVICE void boundary_begin(int boundary_rank, const tile_operators *m, const node_line *lines,
                              const element_slots *from, real *cube, real *middle)
{
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && boundary_has(boundary_rank, n); ++n) {
    const int row = boundary_row(boundary_rank, n), first = row * BP_NQ + bp_lane() / 4;
    tile_values p;
    line_load_tile(from, &lines[first], 0, &p);
    line_load_tile(from, &lines[first + 8], 1, &p);
    boundary_row_there(row, m, &p, cube, middle);
  }
}

/* Stores v, with the share of the middle slab; returns the lane's part of v . v. */
BP_DEVICE real boundary_finish(int boundary_rank, const tile_operators *m, const real *middle,
                               const node_line *lines, const element_places *to,
                               tile_values *partial)
{
  real squares = 0;
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && boundary_has(boundary_rank, n); ++n) {
    const int row = boundary_row(boundary_rank, n), first = row * BP_NQ + bp_lane() / 4;
    boundary_add_middle(row, m, middle, &partial[n]);
    squares += line_store_tile(to, &lines[first], 0, &partial[n]);
    squares += line_store_tile(to, &lines[first + 8], 1, &partial[n]);
  }
  return squares;
}

/* By a warp: issues the ids of an item, if there is one. */
BP_DEVICE void ids_issue(int *slot, const int *ids, item at, int elements, bp_mbarrier *full)
{
  enum { BYTES = ELEMENT_SURFACE * (int)sizeof(int) };
  if (at.batch < elements) {
    bp_slot_copy(slot, ids + (size_t)at.batch * ELEMENT_SURFACE, BYTES, full);
    bp_slot_arrive(full, BYTES);
  }
}

/* By a warp: asks for p of an item on its surface, if there is one; then issues the ids of the item after. */
BP_DEVICE void surface_issue(real *surface, const real *p, int *slot, const int *ids, item at,
                             int elements, bp_mbarrier *full, int parity)
{
  if (at.batch < elements) {
    bp_mbarrier_wait(full, parity);
    BP_UNROLL_BY(4)
    for (int n = bp_lane(); n < ELEMENT_SURFACE; n += 32)
      bp_async_copy8(surface + n, p + (slot[n] < 0 ? ~slot[n] : slot[n]));
    BP_WARP_BARRIER();
    ids_issue(slot, ids, item_after(at), elements, full);
  }
  bp_async_commit();
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, 1)
{
  BP_DYNAMIC_SHARED(real, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(true)]);
  BP_SHARED(bp_mbarrier, slices_done, [1]);
  BP_SHARED(bp_mbarrier, ids_full, [1]);
  BP_SHARED(int, claimed, [2]);
  BP_SHARED(real, buffer, [64]);
  real *const cube = shared + SLOTS_USED * SLICE_SLOT, *const surface = cube + 2 * VALUES;
  node_line *const lines = (node_line *)(surface + ELEMENT_SURFACE);
  int *const ids_slot = (int *)(lines + NODES_2D);
  slice_pipeline pipeline = {shared, 0, factors, elements, full, claimed, true, ELEMENT_INNER};
  const int warp = bp_keep(bp_warp()), boundary_rank = boundary_rank_of(warp);
  const bool on_boundary = warp % 4 != SCHEDULER;
  int field = 0;

  bp_let_next_begin();
  if (bp_thread() == 0) {
    bp_mbarrier_start(slices_done, 32 * WARPS);
    bp_mbarrier_start(ids_full, 1);
  }
  pipeline_init(&pipeline);
  lines_start(lines);
  tile_operators m = tile_operators_load();
  tile_operators_finish(&m);
  const slice_lane lane = slice_lane_of(VALUES);
  const item first_item = {(int)blockIdx.x, 0};
  if (bp_thread() == 0)
    pipeline_claim_second(&pipeline, item_after(first_item).batch);
  BP_BARRIER();
  pipeline_start(&pipeline);
  if (warp == PRODUCER_WARP)
    ids_issue(ids_slot, ids, first_item, elements, ids_full);
  bp_wait_for_previous();
  SOLVE_ARRAYS(arrays);
  iteration it = iteration_of(&arrays);
  exact_sum energy = {{0}};
  pipeline.u = it.p_before;
  pipeline_start_u(&pipeline);
  if (warp == PRODUCER_WARP)
    surface_issue(surface, it.p_before, ids_slot, ids, first_item, elements, ids_full, 0);
  BP_ASYNC_WAIT(0);
  iteration_begin(&it, &arrays, &energy, buffer);

  pipeline_item before = item_before_start(&pipeline);
  int field_before = 0;
  for (pipeline_item start = item_start();; item_next_element(&pipeline, &start)) {
    const bool has_now = start.element < elements, has_before = before.element >= 0;
    tile_values partial[TILES_EACH];
    if (on_boundary) {
      if (has_before)
        boundary_partial(boundary_rank, &m, cube, partial);
      if (has_now) {
        const pipeline_item first = item_at(&pipeline, before, ITEM_OF_U),
                            second = item_at(&pipeline, before, ITEM_OF_U + 1);
        const element_slots p = {
            {item_wait(&pipeline, &first) + half_offset(&pipeline, start.element, 0),
             item_wait(&pipeline, &second) + half_offset(&pipeline, start.element, 1) -
                 ELEMENT_INNER / 2},
            surface};
        boundary_begin(boundary_rank, &m, lines, &p, cube, cube + middle_slab(&start));
      }
    }
    BP_BARRIER();
    if (on_boundary && has_before) {
      const element_places to = element_places_of(&it, before.element, field_before);
      it.vv += boundary_finish(boundary_rank, &m, cube + middle_slab(&before), lines, &to, partial);
    }
    if (!has_now)
      break;
    const item now = {start.element, field}, next = item_after(now);
    const real *const p_next = it.p_before + next.field * it.stride;
    pipeline.u = p_next;
    if (warp == PRODUCER_WARP) {
      item_refill(&pipeline, item_at(&pipeline, before, ITEM_OF_U));
      item_refill(&pipeline, item_at(&pipeline, before, ITEM_OF_U + 1));
      surface_issue(surface, p_next, ids_slot, ids, next, elements, ids_full, start.barriers == 0);
    }
    exact_add(&energy,
              middle_slices(&pipeline, &start, warp, cube, &lane, &m, lambda, slices_done));
    if (warp == PRODUCER_WARP && bp_lane() == 0)
      item_claim_following(&pipeline, &start, item_after(next).batch);
    BP_ASYNC_WAIT(0);
    if (warp != MIDDLE_WARP)
      bp_mbarrier_arrive(slices_done);
    if (on_boundary)
      bp_mbarrier_wait(slices_done, start.barriers != 0);
    before = start;
    field_before = field;
    field = next.field;
  }
  BP_BARRIER();
  iteration_end(&it, &arrays, &energy, buffer);
}

#endif
