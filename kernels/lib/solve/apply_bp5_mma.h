/* apply_bp5_mma.h -- as apply_bp5.h, one element at a time, a warp per slice, contractions on the
 * tensor cores.
 *
 * The operator is that of bp3.5/tensor. Persistent blocks. In shared memory: slices of factors; two cubes for values
 * and t derivatives, which warps take slice by slice; two cubes for p, and for v and then r of the next element. v of an
 * element leaves when the next one has come: both are ends of the same pencils along t. Factors lie as ekcji align 2
 * rotated. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP5_MMA_H
#define BP_KERNELS_SOLVE_APPLY_BP5_MMA_H

#include "lib/operator/bp35_mma_slice.h"
#include "lib/solve/elements.h"
#include "lib/solve/two_kernel.h"

BP_KERNEL_BOUNDED(apply, THREADS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(false)]);
  BP_SHARED(int, claimed, [2]);
  BP_SHARED(double, buffer, [32]);
  const slice_pipeline pipeline = {shared, 0, factors, elements, full, claimed, false};
  double *const cube = shared + SLOTS_USED * SLICE_SLOT, *const p_cube = cube + 2 * VALUES,
                *const v_cube = p_cube + NODES_SLOT;

  /* the first slices, r, p, and the ids of the second element are on their way */
  surface_nodes surface;
  item at = {(int)blockIdx.x, 0}, before = {-1, 0};
  bp_let_next_begin();
  pipeline_init(&pipeline);
  surface_start(&surface);
  surface_ids(&surface, at, ids, first, elements);
  if (bp_thread() == 0)
    pipeline_claim_second(&pipeline,
                          item_after(at).batch); /* the same element for each component */
  BP_BARRIER();
  pipeline_start(&pipeline);
  bp_wait_for_previous();
  const int k = counts[COUNT_COMPLETED];
  const double *const p_before = p + (k + HISTORY - 1) % HISTORY * (BP_FIELDS * stride);
  double *const p_now = p + k % HISTORY * (BP_FIELDS * stride);
  element_load(v_cube, p_cube, &surface, at, r, p_before, stride, elements);
  surface_ids(&surface, item_after(at), ids, first, elements);
  tile_matrix there = tile_matrix_load(TILE_DERIVATIVE, false),
              back = tile_matrix_load(TILE_DERIVATIVE, true);
  const double beta = sums_begin(state, counts, residuals, buffer);
  const slice_lane lane = slice_lane_of();
  tile_matrix_finish(TILE_DERIVATIVE, false, &there);
  tile_matrix_finish(TILE_DERIVATIVE, true, &back);

  double energy = 0;
  for (pipeline_item start = item_start();; item_next_element(&pipeline, &start)) {
    const bool has_now = at.batch < elements;
    const item next = item_after(at);
    if (has_now)
      element_direction(v_cube, p_cube, &surface, at, beta, p_now, stride);
    BP_BARRIER();
    boundary(before.batch >= 0 ? v_cube : 0, has_now ? p_cube : 0, &there, &back, cube, VALUES);
    BP_BARRIER();
    if (before.batch >= 0)
      element_out(v_cube, &surface, before, ap, copies, stride, elements);
    if (!has_now)
      break;
    element_load(v_cube, p_cube, &surface, next, r, p_before, stride, elements);
    surface_ids(&surface, item_after(next), ids, first, elements);
    BP_NO_UNROLL
    for (pipeline_item here = item_at(&pipeline, start, bp_warp()); here.n < BP_NC;
         item_advance(&pipeline, &here, WARPS))
      energy += slice_compute(cube, VALUES, &lane, &there, &back, lambda, &pipeline, &here);
    if (bp_thread() == 0)
      item_claim_following(&pipeline, &start, item_after(next).batch);
    BP_BARRIER();
    before = at;
    at = next;
  }
  BP_BARRIER();
  sums_leave(energy, state + SUMS_PAP, buffer);
}

#endif
