/* step_mma.h -- as step.h, one element at a time, a warp per slice, contractions on the tensor cores, while
 * other warps move the vectors.
 *
 * apply_mma.h tells how; the operator and its pipeline are those of bp5.
 *
 *   warps 0..warps-1                            the other vector_warps                        shared memory
 *   --------------------------------------- elements_meet ------------------------------------------------
 *   boundary: u of this element to the cubes                                                  u_cube -> cubes
 *             of values, v of the one before back                                             cubes -> v_cube
 *   --------------------------------------- elements_meet ------------------------------------------------
 *   slices of this element                      surface nodes of the one before to memory     v_cube
 *                                               u of the next one is asked for                -> u_cube
 *                                               nodes inside the one before are stepped       v_cube, pieces
 *
 * What a step wants beside v (the values now and before, the masses) comes in pieces of 128 nodes. Each of these warps
 * takes every so many piece of an element, and has slots of its own for `pieces` of them, which are on their way while it
 * computes, waits, or goes on to the next element.
 *
 * degrees: 7..15
 * option: slots 1..17 = 5 -- slices of factors in shared memory at once
 * option: pieces 1..4 = 2 -- pieces of 128 nodes of each of these in shared memory at once
 * size: piece_slot = slot(128) -- doubles of a slot for a piece of one array
 * size: step_shared = slots_used * slice_slot + 2 * values + 2 * nodes_slot + vector_warps * pieces * 3 * piece_slot -- doubles of shared memory */
#ifndef BP_KERNELS_WAVE_STEP_MMA_H
#define BP_KERNELS_WAVE_STEP_MMA_H

#include "lib/operator/bp35_mma_slice.h"
#include "lib/solve/vector_warps.h"
#include "lib/wave/launches.h"

enum { PIECE = 128, PIECES_OF_ELEMENT = (ELEMENT_INNER + PIECE - 1) / PIECE };

/* Asks for u of an element, if there is one; its ids have come. */
BP_DEVICE void wave_element_load(double *cube, surface_nodes *s, item at, const double *now,
                                 int elements)
{
  surface_sums(s); /* those of the element before, whose v leaves after the next one has come */
  if (at.batch < elements) {
    const size_t begin = (size_t)at.batch * ELEMENT_INNER;
    BP_UNROLL
    for (int t = 0; t < TURNS; ++t)
      if (s->thread + t * THREADS < ELEMENT_SURFACE)
        bp_async_copy8(cube + surface_place_in_cubes(s, t), now + surface_number(s, t));
    FOR_INNER_COLUMNS(s, c, place)
    {
      BP_UNROLL_BY(4)
      for (int k = 0; k < EDGE_INNER; ++k)
        bp_async_copy8(cube + place + k * CUBE_K, now + begin + c + k * FACE_INNER);
    }
  }
  bp_async_commit();
}

/* ---- pieces: the values now and before and the masses of 128 nodes inside an element ---- */

/* A warp's slots, and where it stands among its pieces. */
typedef struct {
  double *slots;     /* [PIECES][3][PIECE_SLOT] */
  bp_mbarrier *full; /* [PIECES] */
  int first;         /* the piece of an element that it takes first */
  int slot, parity;  /* of the piece that it takes next */
  item ahead;        /* the element whose piece it asks for next, */
  int ahead_piece;   /* and which piece */
} wave_pieces;

/* By the warp, when none of its lanes reads the slot any more: asks for a piece, if there is one. All lanes
 * arrive, which orders their reads before the copies. */
BP_DEVICE void piece_ask(wave_pieces *p, int slot, const wave_vectors *w, int elements)
{
  if (p->ahead.batch >= elements)
    return;
  BP_WARP_BARRIER();
  const size_t begin = (size_t)p->ahead.batch * ELEMENT_INNER + p->ahead_piece * PIECE;
  const int count = min(PIECE, ELEMENT_INNER - p->ahead_piece * PIECE);
  const double *const from[3] = {w->now, w->next, w->inverse_mass};
  BP_UNROLL
  for (int n = 0; n < 3; ++n)
    slot_issue(p->slots + (3 * slot + n) * PIECE_SLOT, from[n], begin, count, false,
               &p->full[slot]);
  bp_slot_arrive_lanes(&p->full[slot], 3 * slot_bytes(begin, count));
  p->ahead_piece += VECTOR_WARPS;
  if (p->ahead_piece >= PIECES_OF_ELEMENT) {
    p->ahead_piece = p->first;
    p->ahead = item_after(p->ahead);
  }
}

/* By each of these warps: its slots, and its first pieces are asked for. */
BP_DEVICE wave_pieces pieces_start(double *slots, bp_mbarrier *full, const wave_vectors *w,
                                   int elements)
{
  const int warp = bp_warp() - WARPS;
  wave_pieces p = {slots + warp * (PIECES * 3 * PIECE_SLOT),
                   full + warp * PIECES,
                   warp,
                   0,
                   0,
                   {(int)blockIdx.x, 0},
                   warp};
  if (warp < PIECES_OF_ELEMENT)
    for (int n = 0; n < PIECES; ++n)
      piece_ask(&p, n, w, elements);
  return p;
}

/* By each of these warps: nodes inside the element are stepped. */
BP_DEVICE void pieces_step(wave_pieces *p, const double *v_cube, item at, const wave_vectors *w,
                           int elements)
{
  BP_NO_UNROLL
  for (int piece = p->first; piece < PIECES_OF_ELEMENT; piece += VECTOR_WARPS) {
    const int at_node = piece * PIECE, count = min(PIECE, ELEMENT_INNER - at_node);
    const size_t begin = (size_t)at.batch * ELEMENT_INNER + at_node;
    const double *const now = p->slots + p->slot * (3 * PIECE_SLOT) + slot_offset(begin);
    double *const next = w->next + begin;
    bp_mbarrier_wait(&p->full[p->slot], p->parity);
    BP_UNROLL
    for (int t = 0; t < PIECE / 32; ++t) {
      const int n = bp_lane() + 32 * t;
      if (n < count)
        next[n] = wave_step(now[n], now[PIECE_SLOT + n], now[2 * PIECE_SLOT + n],
                            v_cube[inner_place(at_node + n, CUBE_K)]);
    }
    piece_ask(p, p->slot, w, elements);
    p->parity ^= p->slot == PIECES - 1;
    p->slot = p->slot == PIECES - 1 ? 0 : p->slot + 1;
  }
}

/* What an element's pieces want comes to L2. */
BP_DEVICE void wave_element_prefetch(item at, const surface_nodes *s, const wave_vectors *w)
{
  enum { LINE = 16 };
  const size_t begin = (size_t)at.batch * ELEMENT_INNER;
  for (int n = LINE * s->thread; n < ELEMENT_INNER; n += LINE * THREADS) {
    bp_prefetch(w->next + begin + n);
    bp_prefetch(w->inverse_mass + begin + n);
  }
}

/* ---- the two kinds of warps ---- */

/* By the warps that move vectors, all elements of the block; u of the first one has been asked for, and the
 * ids of the second. */
BP_DEVICE void wave_elements_move(const wave_vectors *w, const int *ids, const int *first,
                                  double *u_cube, const double *v_cube, wave_pieces *pieces,
                                  surface_nodes *s, double *v, double *copies, size_t stride,
                                  int elements)
{
  item before = {-1, 0}, at = {(int)blockIdx.x, 0};
  for (;;) {
    const item next = item_after(at);
    BP_ASYNC_WAIT(0);
    elements_meet();
    elements_meet();
    if (before.batch >= 0) {
      BP_UNROLL
      for (int t = 0; t < TURNS; ++t)
        if (s->thread + t * THREADS < ELEMENT_SURFACE)
          surface_store(s, t, before, v_cube[surface_place_in_cubes(s, t)], v, copies, stride,
                        elements);
    }
    if (at.batch < elements) {
      wave_element_load(u_cube, s, next, w->now, elements);
      wave_element_prefetch(at, s, w);
      surface_ids(s, item_after(next), ids, first, elements);
    }
    if (before.batch >= 0)
      pieces_step(pieces, v_cube, before, w, elements);
    if (at.batch >= elements)
      return;
    before = at;
    at = next;
  }
}

/* By the first WARPS warps: all elements of the block. */
BP_DEVICE void wave_elements_compute(const slice_pipeline *pipeline, const tile_matrix *there,
                                     const tile_matrix *back, double lambda, double *cube,
                                     double *v_cube, const double *u_cube)
{
  const slice_lane lane = slice_lane_of();
  double *v_before = 0;
  item at = {(int)blockIdx.x, 0};
  for (pipeline_item start = item_start();; item_next_element(pipeline, &start)) {
    const bool has_now = at.batch < pipeline->elements;
    elements_meet();
    boundary(v_before, has_now ? u_cube : 0, there, back, cube, VALUES);
    elements_meet();
    if (!has_now)
      return;
    BP_NO_UNROLL
    for (pipeline_item here = item_at(pipeline, start, bp_warp()); here.n < BP_NC;
         item_advance(pipeline, &here, WARPS))
      slice_compute(cube, VALUES, &lane, there, back, lambda, pipeline, &here);
    v_before = v_cube;
    at = item_after(at);
    if (bp_thread() == 0)
      item_claim_following(pipeline, &start, item_after(at).batch);
  }
}

BP_KERNEL_BOUNDED(step, BLOCK_THREADS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS + VECTOR_WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(false)]);
  BP_SHARED(bp_mbarrier, full_pieces, [VECTOR_WARPS * PIECES]);
  BP_SHARED(int, claimed, [2]);
  const slice_pipeline pipeline = {shared, 0, factors, elements, full, claimed, false};
  double *const of_pieces = shared + SLOTS_USED * SLICE_SLOT,
                *const u_cube = of_pieces + VECTOR_WARPS * PIECES * 3 * PIECE_SLOT,
                *const v_cube = u_cube + NODES_SLOT, *const cube = v_cube + NODES_SLOT;
  const bool moves = bp_warp() >= WARPS;
  const item at = {(int)blockIdx.x, 0};

  /* the first slices, u, and the ids of the second element are on their way */
  surface_nodes outside;
  bp_let_next_begin();
  pipeline_init(&pipeline);
  if (moves) {
    surface_start(&outside, bp_thread() - 32 * WARPS);
    surface_ids(&outside, at, ids, first, elements);
  }
  if (bp_thread() == 0) {
    pipeline_claim_second(&pipeline, item_after(at).batch);
    for (int n = 0; n < VECTOR_WARPS * PIECES; ++n)
      bp_mbarrier_start(&full_pieces[n], 32);
    bp_mbarrier_fence();
  }
  BP_BARRIER();
  pipeline_start(&pipeline);
  bp_wait_for_previous();
  const int k = counts[COUNT_COMPLETED];
  const wave_vectors w = wave_vectors_of(waves, inverse_mass, stride, k);
  if (blockIdx.x == 0 && bp_thread() == 0)
    counts[COUNT_CURRENT] = k;
  if (moves) {
    wave_element_load(u_cube, &outside, at, w.now, elements);
    wave_pieces pieces = pieces_start(of_pieces, full_pieces, &w, elements);
    surface_ids(&outside, item_after(at), ids, first, elements);
    wave_elements_move(&w, ids, first, u_cube, v_cube, &pieces, &outside, ap, copies, stride,
                       elements);
  } else {
    tile_matrix there = tile_matrix_load(TILE_DERIVATIVE, false),
                back = tile_matrix_load(TILE_DERIVATIVE, true);
    tile_matrix_finish(TILE_DERIVATIVE, false, &there);
    tile_matrix_finish(TILE_DERIVATIVE, true, &back);
    wave_elements_compute(&pipeline, &there, &back, lambda, cube, v_cube, u_cube);
  }
}

#endif
