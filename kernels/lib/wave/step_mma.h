/* step_mma.h -- as step.h, one element at a time, a warp per slice, contractions on the tensor cores.
 *
 * apply_bp5_mma.h tells how: the operator and its pipeline are the same. u of the next element comes into a cube
 * while one is computed; what was before, and the masses, are prefetched into L2 and read when v is there. */
#ifndef BP_KERNELS_WAVE_STEP_MMA_H
#define BP_KERNELS_WAVE_STEP_MMA_H

#include "lib/operator/bp35_mma_slice.h"
#include "lib/solve/elements.h"
#include "lib/wave/launches.h"

/* Asks for u of an element, if there is one; its ids have come. */
BP_DEVICE void wave_element_load(double *cube, surface_nodes *s, item at, const double *now,
                                 int elements)
{
  surface_sums(s); /* those of the element before, whose v leaves after the next one has come */
  if (at.batch < elements) {
    const size_t begin = (size_t)at.batch * ELEMENT_INNER;
    BP_UNROLL
    for (int t = 0; t < TURNS; ++t)
      if (bp_thread() + t * THREADS < ELEMENT_SURFACE)
        bp_async_copy8(cube + (s->place[t] & 0xffff), now + surface_number(s, t));
    FOR_INNER_COLUMNS(s, c, place)
    {
      BP_UNROLL_BY(4)
      for (int k = 0; k < EDGE_INNER; ++k)
        bp_async_copy8(cube + place + k * CUBE_K, now + begin + c + k * FACE_INNER);
    }
  }
  bp_async_commit();
}

BP_DEVICE void wave_element_prefetch(item at, const wave_vectors *w)
{
  enum { LINE = 16 };
  const size_t begin = (size_t)at.batch * ELEMENT_INNER;
  for (int n = LINE * bp_thread(); n < ELEMENT_INNER; n += LINE * THREADS) {
    bp_prefetch(w->next + begin + n);
    bp_prefetch(w->inverse_mass + begin + n);
  }
}

/* v of an element: nodes inside are stepped. */
BP_DEVICE void wave_element_out(const double *v_cube, const surface_nodes *s, item at,
                                const wave_vectors *w, double *v, double *copies, size_t stride,
                                int elements)
{
  const size_t begin = (size_t)at.batch * ELEMENT_INNER;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (bp_thread() + t * THREADS < ELEMENT_SURFACE)
      surface_store(s, t, at, v_cube[s->place[t] & 0xffff], v, copies, stride, elements);
  FOR_INNER_COLUMNS(s, c, place)
  {
    BP_UNROLL_BY(4)
    for (int k = 0; k < EDGE_INNER; ++k) {
      const size_t n = begin + c + k * FACE_INNER;
      w->next[n] = wave_step(w->now[n], w->next[n], w->inverse_mass[n], v_cube[place + k * CUBE_K]);
    }
  }
}

BP_KERNEL_BOUNDED(step, THREADS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(false)]);
  BP_SHARED(int, claimed, [2]);
  const slice_pipeline pipeline = {shared, 0, factors, elements, full, claimed, false};
  double *const cube = shared + SLOTS_USED * SLICE_SLOT, *const u_cube = cube + 2 * VALUES,
                *const v_cube = u_cube + NODES_SLOT;

  /* the first slices, u, and the ids of the second element are on their way */
  surface_nodes outside;
  item at = {(int)blockIdx.x, 0}, before = {-1, 0};
  bp_let_next_begin();
  pipeline_init(&pipeline);
  surface_start(&outside, bp_thread());
  surface_ids(&outside, at, ids, first, elements);
  if (bp_thread() == 0)
    pipeline_claim_second(&pipeline, item_after(at).batch);
  BP_BARRIER();
  pipeline_start(&pipeline);
  bp_wait_for_previous();
  const int k = counts[COUNT_COMPLETED];
  const wave_vectors w = wave_vectors_of(waves, inverse_mass, stride, k);
  if (blockIdx.x == 0 && bp_thread() == 0)
    counts[COUNT_CURRENT] = k;
  wave_element_load(u_cube, &outside, at, w.now, elements);
  surface_ids(&outside, item_after(at), ids, first, elements);
  tile_matrix there = tile_matrix_load(TILE_DERIVATIVE, false),
              back = tile_matrix_load(TILE_DERIVATIVE, true);
  const slice_lane lane = slice_lane_of();
  tile_matrix_finish(TILE_DERIVATIVE, false, &there);
  tile_matrix_finish(TILE_DERIVATIVE, true, &back);

  for (pipeline_item start = item_start();; item_next_element(&pipeline, &start)) {
    const bool has_now = at.batch < elements;
    const item next = item_after(at);
    BP_ASYNC_WAIT(0);
    BP_BARRIER();
    boundary(before.batch >= 0 ? v_cube : 0, has_now ? u_cube : 0, &there, &back, cube, VALUES);
    BP_BARRIER();
    if (before.batch >= 0)
      wave_element_out(v_cube, &outside, before, &w, ap, copies, stride, elements);
    if (!has_now)
      break;
    wave_element_load(u_cube, &outside, next, w.now, elements);
    wave_element_prefetch(at, &w);
    surface_ids(&outside, item_after(next), ids, first, elements);
    BP_NO_UNROLL
    for (pipeline_item here = item_at(&pipeline, start, bp_warp()); here.n < BP_NC;
         item_advance(&pipeline, &here, WARPS))
      slice_compute(cube, VALUES, &lane, &there, &back, lambda, &pipeline, &here);
    if (bp_thread() == 0)
      item_claim_following(&pipeline, &start, item_after(next).batch);
    BP_BARRIER();
    before = at;
    at = next;
  }
}

#endif
