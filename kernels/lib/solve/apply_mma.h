/* apply_mma.h -- v = A p and p . v one element at a time: a warp per slice, contractions on the tensor cores,
 * while other warps move the vectors (vector_warps.h has the picture).
 *
 * Persistent blocks. In shared memory: slices of factors; two cubes for values and t derivatives, which warps
 * take slice by slice; two cubes for p, and for v and then r of the next element. v of an element leaves when
 * the next one has come: both are ends of the same pencils along t.
 *
 * A scheme's header goes before it, and the operator's, with its matrices in registers, mma_operator
 * (mma_operator_load asks for them, mma_operator_finish waits), mma_lane (what a lane needs for any slice),
 * mma_boundary (along t, between v or p and the cubes) and mma_slice (one slice; returns its part of p . A p).
 *
 * degrees: 7..15
 * way: contractions on the tensor cores
 * option: atomic 0..1 = 0 -- surface nodes of v are added by atomic operations
 * size: apply_shared = slots_used * slice_slot + 2 * values + 2 * nodes_slot + max(vectors - 2, 0) * cube -- doubles of shared memory */
#ifndef BP_KERNELS_SOLVE_APPLY_MMA_H
#define BP_KERNELS_SOLVE_APPLY_MMA_H

#include "lib/solve/vector_warps.h"

/* By the first WARPS warps: all elements of the block; adds their part of p . A p. */
BP_DEVICE void elements_compute(const slice_pipeline *pipeline, const mma_operator *m,
                                double lambda, double *cube, double *v_cube, double *p_cube,
                                exact_sum *energy)
{
  const slice_lane lane = mma_lane();
  item before = {-1, 0}, at = {(int)blockIdx.x, 0};
  for (pipeline_item start = item_start();; item_next_element(pipeline, &start)) {
    const bool has_before = before.batch >= 0, has_now = at.batch < pipeline->elements;
    elements_meet();
    mma_boundary(has_before ? v_cube : 0, has_now ? p_cube : 0, m, cube);
    elements_meet();
    if (!has_now)
      return;
    BP_NO_UNROLL
    for (pipeline_item here = item_at(pipeline, start, bp_warp()); here.n < BP_NC;
         item_advance(pipeline, &here, WARPS))
      exact_add(energy, mma_slice(cube, &lane, m, lambda, pipeline, &here));
    before = at;
    at = item_after(at);
    if (bp_thread() == 0)
      item_claim_following(pipeline, &start, item_after(at).batch);
  }
}

BP_KERNEL_BOUNDED(apply, BLOCK_THREADS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS + VECTOR_WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(false)]);
  BP_SHARED(int, claimed, [2]);
  BP_SHARED(double, buffer, [MERGED ? SUMS_BUFFER : 32 * EXACT_PARTS]);
  const slice_pipeline pipeline = {shared, 0, factors, elements, full, claimed, false};
  double *const cube = shared + SLOTS_USED * SLICE_SLOT, *const p_cube = cube + 2 * VALUES,
                *const v_cube = p_cube + NODES_SLOT;
  const bool moves = bp_warp() >= WARPS;
  const item at = {(int)blockIdx.x, 0};

  /* the first slices, r, p, and the ids of the second element are on their way */
  SOLVE_ARRAYS(arrays);
  surface_nodes surface;
  bp_let_next_begin();
  pipeline_init(&pipeline);
  if (moves) {
    surface_start(&surface, bp_thread() - 32 * WARPS);
    surface_ids(&surface, at, arrays.ids, arrays.first, elements);
  }
  if (bp_thread() == 0)
    pipeline_claim_second(&pipeline,
                          item_after(at).batch); /* the same element for each component */
  BP_BARRIER();
  pipeline_start(&pipeline);
  bp_wait_for_previous();
  iteration it = iteration_of(&arrays);
  if (moves) {
    element_load(v_cube, p_cube, &surface, at, &it);
    surface_ids(&surface, item_after(at), arrays.ids, arrays.first, elements);
  }
  mma_operator m = mma_operator_load();
  exact_sum energy = {{0}};
  iteration_begin(&it, &arrays, &energy, buffer);
  mma_operator_finish(&m);

  if (moves)
    elements_move(&it, arrays.ids, arrays.first, v_cube, p_cube, &surface);
  else
    elements_compute(&pipeline, &m, lambda, cube, v_cube, p_cube, &energy);
  BP_BARRIER();
  iteration_end(&it, &arrays, &energy, buffer);
}

#endif
