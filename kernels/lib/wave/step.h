/* step.h -- the first kernel of a step: v = K u by columns, and nodes inside elements are finished.
 *
 * As apply_bp5.h: persistent blocks, batches of elements; u of the next batch comes while one is computed.
 * What was before, and the masses, of the batch's inner nodes come while it is computed, and are there
 * when v is. Surface nodes of v leave as copies or are added up in place.
 *
 * option: elements_per_block 1..64 = 1 -- elements of a batch
 * option: blocks_per_sm 1..32 = 1 -- blocks of step that share a multiprocessor
 * size: block_threads = threads -- of a block of step
 * size: wave_slot = 3 * inner_slot + surface_slot -- inner nodes now, before and their masses; surface nodes now
 * size: step_shared = factors_slot + wave_slot + columns_shared -- doubles of shared memory */
#ifndef BP_KERNELS_WAVE_STEP_H
#define BP_KERNELS_WAVE_STEP_H

#include "lib/solve/columns_bp5.h"
#include "lib/wave/launches.h"

typedef struct {
  double *now, *before, *mass, *surface;
  bp_mbarrier *full_now, *full_late;
} wave_slots;

/* Where the inner nodes of a batch begin. */
BP_DEVICE size_t inner_begin(int batch)
{
  return (size_t)batch * (ELEMENTS_PER_BLOCK * ELEMENT_INNER);
}

/* By all threads, when none reads the slots any more: u of a batch comes. */
BP_DEVICE void wave_load_now(const wave_slots *slots, surface_nodes *s, item at, const double *now,
                             int elements)
{
  const int here = batch_elements(at.batch, elements);
  if (ELEMENT_INNER > 0 && bp_warp() == 0 && here > 0)
    slot_prefetch(slots->now, now, inner_begin(at.batch), here * ELEMENT_INNER, false,
                  slots->full_now);
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t) {
    const int n = bp_thread() + t * THREADS;
    if (n < here * ELEMENT_SURFACE)
      bp_async_copy8(slots->surface + n, now + surface_number(s, t));
  }
  bp_async_commit();
}

/* Likewise what the nodes inside want when v is there. */
BP_DEVICE void wave_load_late(const wave_slots *slots, item at, const wave_vectors *w, int elements)
{
  const int here = batch_elements(at.batch, elements);
  if (ELEMENT_INNER > 0 && bp_warp() == 0 && here > 0) {
    const size_t begin = inner_begin(at.batch);
    slot_issue(slots->before, w->next, begin, here * ELEMENT_INNER, false, slots->full_late);
    slot_issue(slots->mass, w->inverse_mass, begin, here * ELEMENT_INNER, false, slots->full_late);
    bp_slot_arrive(slots->full_late, 2 * slot_bytes(begin, here * ELEMENT_INNER));
  }
}

/* When u is wanted: to the cubes. A barrier has to follow. */
BP_DEVICE void wave_fill(const wave_slots *slots, surface_nodes *s, const node_column *c, item at,
                         int parity, double *cubes, int elements)
{
  const int here = batch_elements(at.batch, elements);
  const size_t begin = inner_begin(at.batch);
  BP_ASYNC_WAIT(0);
  surface_sums(s);
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t) {
    const int n = bp_thread() + t * THREADS;
    if (n < here * ELEMENT_SURFACE)
      cubes[surface_place_in_cubes(s, t)] = slots->surface[n];
  }
  if (ELEMENT_INNER > 0) {
    bp_mbarrier_wait(slots->full_now, parity);
    if (c->is_inner && c->b < here) {
      BP_UNROLL
      for (int k = 0; k < EDGE_INNER; ++k)
        cubes[c->cube + (k + 1) * CUBE_K] =
            slots->now[slot_offset(begin) + c->inside + k * FACE_INNER];
    }
  }
}

/* A column of v: its inner nodes are stepped, the others go to the cubes. A barrier has to follow. */
BP_DEVICE void wave_column_out(const wave_slots *slots, const node_column *c, item at, int parity,
                               const double *u, const double *v, double *cubes, double *next,
                               int elements)
{
  const size_t begin = inner_begin(at.batch);
  const int offset = slot_offset(begin) + c->inside;
  const bool steps = c->is_inner && c->b < batch_elements(at.batch, elements);
  if (ELEMENT_INNER > 0)
    bp_mbarrier_wait(slots->full_late, parity);
  if (!c->lives)
    return;
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k) {
    const int n = (k - 1) * FACE_INNER;
    if (!c->is_inner || k == 0 || k == BP_N)
      cubes[c->cube + k * CUBE_K] = v[k];
    else if (steps)
      next[begin + c->inside + n] =
          wave_step(u[k], slots->before[offset + n], slots->mass[offset + n], v[k]);
  }
}

BP_KERNEL_BOUNDED(step, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [3]);
  const int b = bp_thread() / POINTS_2D, column = bp_thread() % POINTS_2D;
  const node_column nodes = node_column_of(b, column);
  double *const late = shared + FACTORS_SLOT, *const cubes = late + WAVE_SLOT;
  const wave_slots slots = {
      late, late + INNER_SLOT, late + 2 * INNER_SLOT, late + 3 * INNER_SLOT, &full[0], &full[2]};
  const column_places places = column_places_of(cubes, b, column);
  factor_slot next_factors = {(stored *)shared, factors, &full[1], 0};
  surface_nodes nodes_outside;
  item at = {(int)blockIdx.x, 0};

  bp_let_next_begin();
  slots_start(full, 3);
  if (bp_warp() == 0)
    factors_load(next_factors.slot, factors, at.batch, elements, &full[1]);
  surface_start(&nodes_outside, bp_thread());
  surface_ids(&nodes_outside, at, ids, first, elements);
  pencil_prefetch_constants(THREADS, PENCIL_D);
  bp_wait_for_previous();
  BP_BARRIER();
  const int k = counts[COUNT_COMPLETED];
  const wave_vectors w = wave_vectors_of(waves, inverse_mass, stride, k);
  if (blockIdx.x == 0 && bp_thread() == 0)
    counts[COUNT_CURRENT] = k;
  wave_load_now(&slots, &nodes_outside, at, w.now, elements);
  surface_ids(&nodes_outside, item_after(at), ids, first, elements);

  int parity = 0;
  while (at.batch * ELEMENTS_PER_BLOCK < elements) {
    double x[BP_NQ], values[BP_NQ];
    const item next = item_after(at);
    wave_load_late(&slots, at, &w, elements);
    wave_fill(&slots, &nodes_outside, &nodes, at, parity, cubes, elements);
    BP_BARRIER();
    wave_load_now(&slots, &nodes_outside, next, w.now, elements);
    surface_ids(&nodes_outside, item_after(next), ids, first, elements);
    columns_apply(&places, nodes.lives, at, next, &next_factors, lambda, elements, values, x);
    wave_column_out(&slots, &nodes, at, parity, values, x, cubes, w.next, elements);
    BP_BARRIER();
    surface_out(&nodes_outside, at, cubes, ap, copies, stride, elements);
    at = next;
    parity ^= 1;
  }
}

#endif
