/* bp1.0/tensor -- a warp per slice; data by bulk copies; contractions on the tensor cores
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 rotated
 * option:   warps 1..17 = 6 -- warps of a block
 * option:   ring 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * launch:   apply; threads 32 * warps; blocks elements < sms * blocks_per_sm ? elements : sms * blocks_per_sm; shared 8 * (ring * ((nc*nc + 31) / 16 * 16) + (nq*nq*nq + 31) / 16 * 16 + nc * ((nc * (nq + (nq + 1) % 2) + 3) / 8 * 8 + 4))
 *
 * Interpolation along t comes first and its transpose last, for the whole element, through a cube in
 * shared memory. In between everything belongs to one slice, and a warp goes through it alone: along s,
 * then along r, where the values at the points meet the weights in registers, and back. */
#include "gpu.h"
#include "tensor.h"

enum {
  PLANE = BP_NQ * BP_NQ,
  ROW = BP_NQ | 1,
  SLAB = (BP_NC * ROW + 3) / 8 * 8 + 4 /* 4 or 12 banks of 16 from one to the next */
};

#include "ends.h"

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_BARRIERS]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  double *rooms = shared;
  double *u_room = rooms + ROOMS * SLICE_ROOM, *cube = u_room + NODES_ROOM;
  const tile_matrix there = tile_matrix_of(TILE_VALUE, false), back = tile_matrix_of(TILE_VALUE, true);
  const int q = bp_keep(bp_lane() % 4), i0 = bp_keep(tile_pencil_spread(0)), i1 = i0 + 2;
  const bool in0 = i0 < BP_NQ, in1 = i1 < BP_NQ;
  const int c0 = bp_keep(min(i0, BP_NQ - 1)), c1 = bp_keep(min(i1, BP_NQ - 1));

  slices_start(rooms, factors, elements, full);
  nodes_start(u_room, u, elements, u_full);

  double *to = 0;
  int parity = 0;
  for (slice_slot start = slot_start();; slot_next_element(&start)) {
    const int e = start.element;
    const size_t first = (size_t)e * NODES;
    if (e < elements)
      bp_mbarrier_wait(u_full, parity);
    ends(to, e < elements ? u_room + span_offset(first) : 0, &there, &back, cube);
    if (e >= elements)
      break;
    to = v + first;
    parity ^= 1;
    BP_BARRIER();
    if (bp_thread() == 0)
      nodes_request(u_room, u, e + (int)gridDim.x, elements, u_full);
    BP_NO_UNROLL
    for (slice_slot here = slot_of_warp(start); here.k < BP_NC; slot_advance(&here)) {
      double *slab = cube + here.k * SLAB;
      const double *f = 0;
      tile_values x;
      tile_halves h;

      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&there, TILE_VALUE, BP_NQ, BP_NC, true, &h, &x);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NC, &x);
      BP_WARP_BARRIER();
      BP_UNROLL
      for (int tile = 0; tile < TILES(BP_NC); ++tile) {
        const bool both = tile == 0; /* the second tile has one row */
        const int j0 = 16 * tile + i0, j1 = 16 * tile + i1;
        const int k0 = min(j0, BP_NC - 1), k1 = min(j1, BP_NC - 1);
        tile_load(slab + k0 * ROW, slab + k1 * ROW, both, q, 1, BP_NQ, &x);
        tile_split(&x, both, &h);
        tile_apply(&there, TILE_VALUE, BP_NQ, BP_NC, both, &h, &x);
        if (tile == 0)
          f = slice_wait(rooms, &here, full);
        slice_weigh(f, k0, k1, both, q, &x);
        tile_split(&x, both, &h);
        tile_apply(&back, TILE_VALUE, BP_NC, BP_NQ, both, &h, &x);
        tile_replace(slab + k0 * ROW, slab + k1 * ROW, j0 < BP_NC, both && j1 < BP_NC, q, 1, BP_NQ, &x);
      }
      slice_next(rooms, factors, here, elements, full);
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NC, &x);
      tile_split(&x, true, &h);
      tile_apply(&back, TILE_VALUE, BP_NC, BP_NQ, true, &h, &x);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NQ, &x);
    }
    BP_BARRIER();
  }
}
