/* apply_bp1_mma.h -- as apply_bp1.h of a merged scheme, one element at a time, contractions on the tensor
 * cores: those of the operator's header, which includes this one. A scheme's goes before it.
 *
 * Persistent blocks. In shared memory: the weights of an element; r, p and v of the next one, which come
 * while this one is computed; a cube of nodes and one of values. The phases, with a barrier behind each:
 *
 *   boundary: nodes of p -> values of this element, of the one before back -> nodes of v
 *   v of the one before to memory; middle, to the points
 *   points
 *   middle, to the nodes; p = r + beta p of the next element -> nodes
 *
 * A thread takes v of a node out of its place before it puts p there, so no barrier is needed in between.
 *
 * option: warps 1..17 = 8 -- warps of a block of apply
 * option: blocks_per_sm 1..8 = 1 -- blocks of apply that share a multiprocessor
 * size: atomic = 0 -- surface nodes of v are stored as copies
 * size: elements_per_block = 1 -- elements of a batch
 * size: threads = 32 * warps -- of a block
 * size: block_threads = threads -- of a block of apply
 * size: cube_k = nq*nq -- doubles from plane to plane of the nodes
 * size: cube = nq*nq*nq -- from element to element
 * size: nodes_slot = (cube + 15) / 16 * 16 -- doubles of the nodes in shared memory
 * size: apply_shared = factors_slot + vectors_slot + nodes_slot + nc * slab -- doubles of shared memory */
#ifndef BP_KERNELS_SOLVE_APPLY_BP1_MMA_H
#define BP_KERNELS_SOLVE_APPLY_BP1_MMA_H

#include "lib/solve/batches.h"

/* Columns of inner nodes are cut into as many parts as threads can have one each. */
enum {
  COLUMN_PARTS = THREADS < FACE_INNER ? 1 : THREADS / FACE_INNER,
  PART = (EDGE_INNER + COLUMN_PARTS - 1) / COLUMN_PARTS
};

/* The thread's parts: inner nodes `first` + k FACE_INNER, at `place` + k CUBE_K, for k < `count`. */
#define FOR_INNER_PARTS(first, place, count)                                                       \
  for (int part = bp_thread(), first, place, count;                                                \
       part < COLUMN_PARTS * FACE_INNER &&                                                         \
       (first = part % FACE_INNER + part / FACE_INNER * (PART * FACE_INNER),                       \
       place = inner_place(first, CUBE_K),                                                         \
       count = min(PART, EDGE_INNER - part / FACE_INNER * PART), true);                            \
       part += THREADS)

/* When the vectors of an item are wanted: p = r + beta p, to the nodes and to memory. */
BP_DEVICE void element_in(const vector_slots *slots, surface_nodes *s, item at, int parity,
                          double *nodes, iteration *it)
{
  const size_t begin = (size_t)at.batch * ELEMENT_INNER;
  const double *const from = slots->inner + slot_offset(begin);
  double *const rf = it->r + at.field * it->stride, *const pf = it->p + at.field * it->stride;
  BP_ASYNC_WAIT(0);
  surface_direction(slots, s, at, nodes, it);
  bp_mbarrier_wait(slots->full, parity);
  FOR_INNER_PARTS(first, place, count)
  {
    BP_UNROLL_BY(7)
    for (int k = 0; k < PART; ++k)
      if (EDGE_INNER % COLUMN_PARTS == 0 || k < count)
        nodes[place + k * CUBE_K] = node_direction(it, from + first + k * FACE_INNER, INNER_SLOT,
                                                   rf, pf, true, begin + first + k * FACE_INNER);
  }
}

/* v of an item to memory. */
BP_DEVICE void element_out(const surface_nodes *s, item at, const double *nodes, iteration *it)
{
  const size_t begin = (size_t)at.batch * ELEMENT_INNER;
  double *const vf = it->v + at.field * it->stride;
  FOR_INNER_PARTS(first, place, count)
  {
    BP_UNROLL_BY(7)
    for (int k = 0; k < PART; ++k)
      if (EDGE_INNER % COLUMN_PARTS == 0 || k < count) {
        const double x = nodes[place + k * CUBE_K];
        vf[begin + first + k * FACE_INNER] = x;
        it->vv += node_square(it, x * x, begin + first + k * FACE_INNER);
      }
  }
  surface_finish(s, at, nodes, it);
}

/* By a warp: the weights of an element come. */
BP_DEVICE void weights_load(double *slot, const double *factors, int e, int elements,
                            bp_mbarrier *full)
{
  if (e < elements)
    slot_prefetch(slot, factors, (size_t)e * WEIGHTS, WEIGHTS, evict_first_factors(e), full);
}

BP_KERNEL_BOUNDED(apply, THREADS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [2]); /* vectors, weights */
  const vector_slots vectors = vector_slots_of(shared + FACTORS_SLOT, &full[0]);
  double *const nodes = shared + FACTORS_SLOT + VECTORS_SLOT, *const cube = nodes + NODES_SLOT;
  double *const buffer =
      cube; /* SUMS_BUFFER doubles, before the first element and behind the last one */
  const bool moves = bp_warp() == WARPS - 1;

  /* the first weights, r, p, v, and the ids of the second element are on their way */
  SOLVE_ARRAYS(arrays);
  surface_nodes surface;
  item before = {-1, 0}, at = {(int)blockIdx.x, 0};
  bp_let_next_begin();
  slots_start(full, 2);
  if (bp_warp() == 0)
    weights_load(shared, factors, at.batch, elements, &full[1]);
  surface_start(&surface, bp_thread());
  surface_ids(&surface, at, arrays.ids, arrays.first, elements);
  tile_matrix there = tile_matrix_load(TILE_VALUE, false),
              back = tile_matrix_load(TILE_VALUE, true);
  const point_lane lane = point_lane_of();
  bp_wait_for_previous();
  iteration it = iteration_of(&arrays);
  vectors_load(&vectors, &surface, 0, at, &it);
  surface_ids(&surface, item_after(at), arrays.ids, arrays.first, elements);
  tile_matrix_finish(TILE_VALUE, false, &there);
  tile_matrix_finish(TILE_VALUE, true, &back);
  exact_sum energy = {{0}};
  iteration_begin(&it, &arrays, &energy, buffer);

  int parity = 0, weights_parity = 0;
  element_in(&vectors, &surface, at, parity, nodes, &it);
  BP_BARRIER();
  for (;;) {
    const bool has_now = at.batch < elements;
    const item next = item_after(at);
    if (has_now)
      vectors_load(&vectors, &surface, 0, next, &it);
    boundary(true, before.batch >= 0 ? nodes : 0, has_now ? nodes : 0, &there, &back, cube);
    BP_BARRIER();

    if (before.batch >= 0)
      element_out(&surface, before, nodes, &it);
    if (!has_now)
      break;
    surface_ids(&surface, item_after(next), arrays.ids, arrays.first, elements);
    middle(&there, BP_NQ, BP_NC, cube);
    const double *const w = shared + slot_offset((size_t)at.batch * WEIGHTS);
#if NINTH(BP_NC)
    if (bp_warp() == WARPS - 1) {
      bp_mbarrier_wait(&full[1], weights_parity);
      BP_WARP_BARRIER();
      exact_add(&energy, last_row(w, &there, &back, cube));
    }
#endif
    BP_BARRIER();

    bp_mbarrier_wait(&full[1], weights_parity);
    exact_add(&energy, points(w, &there, &back, &lane, cube));
    BP_BARRIER();

    if (next.field == 0) {
      weights_parity ^= 1;
      if (moves)
        weights_load(shared, factors, next.batch, elements, &full[1]);
    }
    middle(&back, BP_NC, BP_NQ, cube);
    parity ^= 1;
    if (next.batch < elements)
      element_in(&vectors, &surface, next, parity, nodes, &it);
    BP_BARRIER();
    before = at;
    at = next;
  }
  BP_BARRIER();
  iteration_end(&it, &arrays, &energy, buffer);
}

#endif
