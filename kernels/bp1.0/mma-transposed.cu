/* bp1.0/mma-transposed -- a warp per slice, to the points and back in registers, in place
 *
 * degrees:  7..14
 * factors:  ekcji align 2 transposed
 * option:   warps 1..17 = 4 -- warps of a block
 * option:   slots 1..4 = 2 -- slices of factors in shared memory at once, of each warp
 * option:   blocks_per_sm 1..8 = 3 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     mma_order = 1 -- positions of a lane, see mma_tile.h
 * size:     element_slot = slot(nc * nq*nq) -- doubles of a slot for an element: u, then its values at the points of t
 * launch:   apply; threads 32 * warps; blocks min(elements, sms * blocks_per_sm); shared real * (warps * slots * slice_slot + 2 * element_slot)
 *
 * A bulk copy brings u of an element into a slot of shared memory. v is left in the same place and leaves by a bulk
 * copy. There are two such slots: while one element is computed, v of the last one leaves and u of the next one
 * comes.
 *
 * All warps contract along t at the boundaries of the elements, in place. In between a warp takes a slice alone: its
 * rows are contracted along r by products that transpose the tile (mma_transposed.h), then along s, multiplied by
 * the weights, and likewise back. */
#include "lib/contract/mma_transposed.h"
#include "lib/pipeline/pipeline_per_warp.h"
#include "lib/schedule/stagger.h"
#include "lib/schedule/tile_scheduler.h"

/* Of 16 pencils along t, in place: from points to nodes in `v`, from nodes to points in `u`. Where there are
 * both, the products of one hide those of the other. */
BP_DEVICE void boundary_tile(bool has_v, bool has_u, double *v, double *u, const tile_offsets *at,
                             bool in0, bool in1, const tile_matrix *there, const tile_matrix *back)
{
  const int q = bp_lane() % 4;
  const tile_pointers v_points = tile_pointers_at(v, at, NODES_2D, 0),
                      v_nodes = tile_pointers_at(v, at, NODES_2D, -NODES_2D);
  const tile_pointers u_points = tile_pointers_at(u, at, NODES_2D, 0),
                      u_nodes = tile_pointers_at(u, at, NODES_2D, -NODES_2D);
  tile_values x, y;
  if (has_v)
    tile_read(&v_points, NODES_2D, BP_NC, &x);
  if (has_u)
    tile_read(&u_nodes, NODES_2D, BP_NQ, &y);
  if (has_v)
    tile_contract(back, BP_NC, BP_NQ, &x);
  if (has_u)
    tile_contract(there, BP_NQ, BP_NC, &y);
  BP_WARP_BARRIER();
  if (has_v)
    tile_write_both(&v_nodes, in0, in1, q, NODES_2D, BP_NQ, &x);
  if (has_u)
    tile_write_both(&u_points, in0, in1, q, NODES_2D, BP_NC, &y);
}

/* Of all pencils along t; `v` or `u` may be 0: then the other stands for it, unused. */
BP_DEVICE void boundary(double *v, double *u, const tile_matrix *there, const tile_matrix *back,
                        const tile_offsets *lane)
{
  const int g = bp_lane() / 4, p0 = tile_pencil_t(g, 0), p1 = tile_pencil_t(g, 1);
  BP_NO_UNROLL
  for (int tile = 16 * bp_warp(); tile < NODES_2D; tile += 16 * WARPS) {
    const bool in0 = tile + p0 < NODES_2D, in1 = tile + p1 < NODES_2D;
    const int shift0 = (in0 ? tile : NODES_2D - 1 - p0) * (int)sizeof(double);
    const int shift1 = (in1 ? tile : NODES_2D - 1 - p1) * (int)sizeof(double);
    const tile_offsets at = {{lane->low[0] + shift0, lane->low[1] + shift1},
                             {lane->high[0] + shift0, lane->high[1] + shift1}};
    if (v && u)
      boundary_tile(true, true, v, u, &at, in0, in1, there, back);
    else if (v)
      boundary_tile(true, false, v, v, &at, in0, in1, there, back);
    else
      boundary_tile(false, true, u, u, &at, in0, in1, there, back);
  }
}

BP_DEVICE void slice_weigh(double *slice, const transposed_offsets *p, tile_values *x)
{
  BP_UNROLL
  for (int n = 0; n < 4; ++n) { /* position n / 2 or its mirror image */
    double f[2], *to = n % 2 ? x->high : x->low;
    transposed_factors(slice, p, n / 2, n % 2, f);
    to[n / 2] *= f[0];
    to[2 + n / 2] *= f[1];
  }
}

/* By a warp, behind a barrier after bp_async_fence: issues the copy of v from its slot. */
BP_DEVICE void element_store(double *v, const double *from, size_t first)
{
  const int odd = (int)(first % 2), pairs = (NODES_3D - odd) / 2;
  if (odd && bp_lane() == 0)
    v[first] = from[0];
  if ((NODES_3D - odd) % 2 && bp_lane() == 0)
    v[first + NODES_3D - 1] = from[NODES_3D - 1];
  slot_store(v + first + odd, from + odd, 2 * pairs);
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [WARPS * SLOTS]);
  BP_SHARED(bp_mbarrier, u_full, [2]);
  BP_SHARED(int, claimed, [1]);
  double *element_slots = shared + WARPS * SLOTS * SLICE_SLOT;

  stagger_start(STAGGER, BLOCKS_PER_SM);
  if (bp_thread() == 0) {
    bp_mbarrier_start(&u_full[1], 1);
    warp_pipeline_init(full);
  }
  nodes_start(element_slots, u, elements, &u_full[0]);
  int number = bp_thread() == 0 ? scheduler_claim(elements, 0) : 0;

  tile_matrix there = tile_matrix_load(TILE_VALUE, false),
              back = tile_matrix_load(TILE_VALUE, true);
  const int q = bp_keep(bp_lane() % 4), g = bp_lane() / 4, node = MMA_OUTPUT(g);
  const bool is_node = node < BP_HALF(BP_NQ);
  const int row = is_node ? node : MMA_OUTPUT(g / 4 * 4);
  const transposed_offsets places = transposed_offsets_of();
  const tile_offsets along_t =
      tile_offsets_of(tile_pencil_t(g, 0), tile_pencil_t(g, 1), NODES_2D, BP_NC);
  const tile_offsets rows = tile_offsets_of(row * BP_NQ, (BP_NQ - 1 - row) * BP_NQ, 1, BP_NQ);

  warp_pipeline slots = warp_pipeline_start(shared, factors, elements, full);
  tile_matrix_finish(TILE_VALUE, false, &there);
  tile_matrix_finish(TILE_VALUE, true, &back);
  const tile_whole stacked = tile_whole_of(TILE_VALUE, &there),
                   stacked_back = tile_whole_of(TILE_VALUE, &back);

  const bool moving = bp_warp() == LEAST_WARP;

  double *before = 0;
  int lap = 0, e = (int)blockIdx.x, previous = 0;
  for (;; lap = (lap + 1) % 4) {
    const size_t first = (size_t)e * NODES_3D;
    double *slot = element_slots + lap % 2 * ELEMENT_SLOT, *element = slot + slot_offset(first);
    double *other_slot = element_slots + (1 - lap % 2) * ELEMENT_SLOT;
    if (e < elements)
      bp_mbarrier_wait(&u_full[lap % 2], lap / 2);
    boundary(before, e < elements ? element : 0, &there, &back, &along_t);
    bp_async_fence();
    if (bp_thread() == 0 && e < elements)
      scheduler_next(&number, elements, claimed);
    BP_BARRIER();
    const int next = *claimed;
    if (moving && before)
      element_store(v, before, (size_t)previous * NODES_3D);
    if (e >= elements)
      break;
    warp_pipeline_element(&slots);
    BP_NO_UNROLL
    for (int k = bp_warp(); k < BP_NC; k += WARPS) {
      const warp_slice here = {e, k};
      const tile_pointers at = tile_pointers_at(element + k * NODES_2D, &rows, 1, 0);
      tile_values x;
      tile_read(&at, 1, BP_NQ, &x);
      tile_transpose_whole(&stacked, &x, &x);
      tile_contract(&there, BP_NQ, BP_NC, &x);
      slice_weigh(warp_pipeline_wait(&slots, here), &places, &x);
      tile_transpose_whole(&stacked_back, &x, &x);
      warp_pipeline_refill(&slots, factors, e, next,
                           elements); /* while the products are under way */
      tile_contract(&back, BP_NC, BP_NQ, &x);
      tile_write(&at, is_node, is_node, q, 1, BP_NQ, &x);
      if (moving && k == LEAST_WARP) {
        BP_BULK_WAIT_READ(0);
        BP_WARP_BARRIER();
        nodes_prefetch(other_slot, u, next, elements, &u_full[1 - lap % 2]);
      }
    }
    before = element;
    previous = e;
    BP_BARRIER();
    e = next;
  }
  if (moving)
    BP_BULK_WAIT(0);
}
