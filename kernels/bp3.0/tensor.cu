/* bp3.0/tensor -- a warp per slice; factors by bulk copies; contractions on the tensor cores
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 rotated
 * option:   warps 1..17 = 6 -- warps of a block
 * option:   ring 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * launch:   apply; threads 32 * warps; blocks elements < sms * blocks_per_sm ? elements : sms * blocks_per_sm; shared 8 * (ring * ((7 * nc*nc + 31) / 16 * 16) + 2 * nc * ((nc * (nq + (nq + 1) % 2) + 3) / 8 * 8 + 4) + (nq*nq*nq + 31) / 16 * 16)
 *
 * Interpolation and differentiation along t come first and their transposes last, for the whole element:
 * two cubes in shared memory hold u and its t derivative at the points of t. In between everything
 * belongs to one slice, and a warp goes through it alone: along s, then along r, where the gradient
 * meets the factors in registers, and back. The derivative in a direction is one contraction from nodes
 * to points, by D I. Between s and r three slabs have to pass through the two that there are: what would
 * be the third waits in registers. */
#include "gpu.h"
#include "tensor.h"

enum {
  PLANE = BP_NQ * BP_NQ,
  ROW = BP_NQ | 1,
  SLAB = (BP_NC * ROW + 3) / 8 * 8 + 4, /* 4 or 12 banks of 16 from one to the next */
  CUBE = BP_NC * SLAB,
  LAST_ROW = BP_NC > 16 ? 16 : 0 /* of points, where a tile does not hold them all */
};

#include "ends.h"

/* The 17th row of points through one tile: u is the first pencil of lanes 0..3, its s derivative the second
 * (where it comes, and where its flux is left), its t derivative the first of lanes 4..7. Other lanes do as lanes 0..3. */
BP_DEVICE void last_row(double *slab, double *slab_t, const double *room, const tile_operators *m,
                        double lambda, tile_values *last)
{
  const int q = bp_lane() % 4;
  const bool is_t = bp_lane() / 4 == 1;
  double *row = (is_t ? slab_t : slab) + LAST_ROW * ROW;
  tile_values r, t;
  tile_halves h;
  tile_load_pencil(row, 0, q, 1, BP_NQ, last);
  tile_split(last, true, &h);
  tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, true, &h, last);
  tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, true, &h, &r);
  BP_UNROLL
  for (int n = 0; n < 2; ++n) {
    const double *f = room + rotated_index(LAST_ROW, tile_position(q, n, BP_NC));
    const double *g = room + rotated_index(LAST_ROW, BP_NC - 1 - tile_position(q, n, BP_NC));
    t.low[n] = bp_shuffle_down(last->low[n], 4);
    t.high[n] = bp_shuffle_down(last->high[n], 4);
    flux(f, AREA, lambda, &r.low[n], &last->low[2 + n], &t.low[n], &last->low[n]);
    flux(g, AREA, lambda, &r.high[n], &last->high[2 + n], &t.high[n], &last->high[n]);
    t.low[n] = bp_shuffle_up(t.low[n], 4);
    t.high[n] = bp_shuffle_up(t.high[n], 4);
    last->low[n] = is_t ? t.low[n] : last->low[n];
    last->high[n] = is_t ? t.high[n] : last->high[n];
    r.low[n] = is_t ? 0 : r.low[n];
    r.high[n] = is_t ? 0 : r.high[n];
    r.low[2 + n] = r.high[2 + n] = 0;
  }
  t.ninth[0] = bp_shuffle_down(last->ninth[0], 4);
  flux(room + rotated_index(LAST_ROW, 8), AREA, lambda, &r.ninth[0], &last->ninth[1], &t.ninth[0],
       &last->ninth[0]);
  t.ninth[0] = bp_shuffle_up(t.ninth[0], 4);
  last->ninth[0] = is_t ? t.ninth[0] : last->ninth[0];
  r.ninth[0] = is_t ? 0 : r.ninth[0];
  r.ninth[1] = 0;
  tile_back(m, last, &r, last);
  BP_WARP_BARRIER();
  tile_store_pencil(row, 0, bp_lane() < 8, q, 1, BP_NQ, last);
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_BARRIERS]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  double *rooms = shared;
  double *cube = rooms + ROOMS * SLICE_ROOM, *u_room = cube + 2 * CUBE;
  const tile_operators m = tile_operators_of();
  const int q = bp_keep(bp_lane() % 4), i0 = bp_keep(tile_pencil_spread(0)), i1 = i0 + 2;
  const bool in0 = i0 < BP_NQ, in1 = i1 < BP_NQ;
  const int c0 = bp_keep(min(i0, BP_NQ - 1)), c1 = bp_keep(min(i1, BP_NQ - 1));
  const bool row0_in = i0 < BP_NC, row1_in = i1 < BP_NC;
  const int k0 = bp_keep(min(i0, BP_NC - 1)), k1 = bp_keep(min(i1, BP_NC - 1));

  slices_start(rooms, factors, elements, full);
  nodes_start(u_room, u, elements, u_full);

  double *to = 0;
  int parity = 0;
  for (slice_slot start = slot_start();; slot_next_element(&start)) {
    const int e = start.element;
    const size_t first = (size_t)e * NODES;
    if (e < elements)
      bp_mbarrier_wait(u_full, parity);
    ends(to, e < elements ? u_room + span_offset(first) : 0, &m, cube);
    if (e >= elements)
      break;
    to = v + first;
    parity ^= 1;
    BP_BARRIER();
    if (bp_thread() == 0)
      nodes_request(u_room, u, e + (int)gridDim.x, elements, u_full);
    BP_NO_UNROLL
    for (slice_slot here = slot_of_warp(start); here.k < BP_NC; slot_advance(&here)) {
      double *slab = cube + here.k * SLAB, *slab_t = slab + CUBE;
      double *row0 = slab + k0 * ROW, *row1 = slab + k1 * ROW;
      tile_values x, y, value, r, s, t, last;
      tile_halves h;

      /* along s, to points: the t derivative and, first, the s derivative, which rows then take away */
      tile_load(slab_t + c0, slab_t + c1, true, q, ROW, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &x);
      tile_replace(slab_t + c0, slab_t + c1, in0, in1, q, ROW, BP_NC, &x);
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, true, &h, &x);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &y);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NC, &x);
      BP_WARP_BARRIER();
      tile_load(row0, row1, true, q, 1, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &s);
      if (LAST_ROW)
        tile_load_pencil(slab + LAST_ROW * ROW, 1, q, 1, BP_NQ, &last);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NC, &y);
      BP_WARP_BARRIER();

      /* along r, to points; the factors; back; the s flux stays */
      tile_load(row0, row1, true, q, 1, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &value);
      tile_apply(&m.derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, true, &h, &r);
      tile_load(row0 + CUBE, row1 + CUBE, true, q, 1, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &t);
      const double *f = slice_wait(rooms, &here, full);
      slice_fluxes(f, k0, k1, true, q, lambda, &value, &r, &s, &t);
      tile_back(&m, &value, &r, &x);
      tile_replace(row0, row1, row0_in, row1_in, q, 1, BP_NQ, &x);
      tile_split(&t, true, &h);
      tile_apply(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, true, &h, &x);
      tile_store(row0 + CUBE, row1 + CUBE, row0_in, row1_in, q, 1, BP_NQ, &x);
      tile_split(&s, true, &h);
      tile_apply(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, true, &h, &s);
      if (LAST_ROW)
        last_row(slab, slab_t, f, &m, lambda, &last);
      slice_next(rooms, factors, here, elements, full);

      /* along s, to nodes: first what does not come from the s flux */
      tile_sums sums;
      tile_zero(&sums);
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NC, &x);
      tile_split(&x, true, &h);
      tile_add(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &sums);
      tile_load(slab_t + c0, slab_t + c1, true, q, ROW, BP_NC, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, true, &h, &x);
      tile_replace(slab_t + c0, slab_t + c1, in0, in1, q, ROW, BP_NQ, &x);
      tile_store(row0, row1, row0_in, row1_in, q, 1, BP_NQ, &s);
      if (LAST_ROW)
        tile_store_pencil(slab + LAST_ROW * ROW, 1, bp_lane() < 4, q, 1, BP_NQ, &last);
      BP_WARP_BARRIER();
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NC, &x);
      tile_split(&x, true, &h);
      tile_add(&m.derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &sums);
      tile_join(&sums, true, &x);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NQ, &x);
    }
    BP_BARRIER();
  }
}
