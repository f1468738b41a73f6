/* bp3.0/tensor-middle-slice -- as tensor; one warp takes the middle slice while the others do the boundaries
 *
 * degrees:  15..15
 * requires: sm_90
 * factors:  ekcji align 2 tiled
 * option:   warps 2..16 = 8 -- warps of a block
 * option:   ring 3..16 = 9 -- slices of factors, or halves of u, in shared memory at once
 * option:   apart 0..127 = 0 -- clocks from a block's beginning to the next one's
 * option:   once 0..32 = 0 -- sixteenths of the factors that leave L2 first; beyond 16 also of u
 * launch:   apply; threads 32 * warps; blocks elements < sms ? elements : sms; shared 8 * (ring * ((7 * nc*nc + 31) / 16 * 16) + 2 * (nc + 1) * ((nc * (nq + 1) + 3) / 8 * 8 + 4))
 *
 * 17 slices are one too many for 8 warps (with more a warp has too few registers): 7 would wait while one takes the
 * last slice. So that is the one of the middle, whose t position a tile holds apart: contractions along t can take
 * place without it, in both directions, and what it has to do with them is added when it is there. Two slabs
 * take it in turn, for one element's is in use while the next one's comes. */
#include "lib/schedule/stagger.h"
#include "abi/gpu.h"

#define MIDDLE_LAST
#define SLABS (BP_NC + 1)
#include "lib/operator/bp30_mma_slice.h"

enum {
  MIDDLE = BP_NC / 2,
  OTHERS = BP_NC - 1,
  LONE_WARP =
      OTHERS % WARPS, /* which the middle slice falls to, behind another one: so WARPS <= OTHERS */
  SCHEDULER = LONE_WARP % 4, /* its warps do not do the ends: it is the lone one's alone then */
  /* deals, and asks for u: of those that have the most time, one that does not do the ends either */
  ASKING = LONE_WARP + 4 < WARPS ? LONE_WARP + 4 : LONE_WARP % 4,
  FRAMING = WARPS - 1 - (WARPS - 1 - SCHEDULER) / 4,
  TILES_EACH = (BP_NQ + FRAMING - 1) / FRAMING /* a tile has the pencils along t of a row */
};

/* The n-th row of the warp, the `frame`-th of those that do the ends; whether there is such a row. */
BP_DEVICE int framing_row(int frame, int n)
{
  return frame + n * FRAMING;
}

BP_DEVICE bool framing_has(int frame, int n)
{
  return (n + 1) * FRAMING <= BP_NQ || framing_row(frame, n) < BP_NQ;
}

/* Where the lane's values are of a pencil along t. */
BP_DEVICE tile_offsets along_t(int step, int n)
{
  const int bytes = step * (int)sizeof(double), low = bp_lane() % 4 * bytes;
  const tile_offsets o = {{low, low}, {(n - 1) * bytes - low, (n - 1) * bytes - low}};
  return o;
}

/* Of those of a row, in the cube of values. */
BP_DEVICE tile_place frame_place(double *cube, int row)
{
  const tile_offsets lane = along_t(SLAB, BP_NC);
  const int first = row * ROW + bp_lane() / 4;
  return ends_place(cube, &lane, first, first + 8, SLAB);
}

/* Where the element's middle slab is: two take it in turn. */
BP_DEVICE int middle_slab(const item_slot *of)
{
  return (of->barriers ? MIDDLE : BP_NC) * SLAB;
}

/* Back along t without the middle: what it leaves for v. */
BP_DEVICE void frame_back(int frame, const tile_operators *m, double *cube, tile_values *held)
{
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && framing_has(frame, n); ++n) {
    const tile_place at = frame_place(cube, framing_row(frame, n));
    const tile_place at_t = tile_place_moved(&at, CUBE);
    ends_back(m, &at, &at_t, OTHERS, &held[n]);
  }
}

/* The rest of it, from the middle slab, and v. */
BP_DEVICE void frame_finish(int frame, const tile_operators *m, const double *middle, double *v,
                            tile_values *held)
{
  const int q = bp_lane() % 4, first = bp_lane() / 4;
  const tile_offsets in_v = along_t(PLANE, BP_NQ);
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && framing_has(frame, n); ++n) {
    const double *from = middle + framing_row(frame, n) * ROW + first;
    BP_UNROLL
    for (int i = 0; i < TILE_PAIRS; ++i) {
      const double same = m->value_back.ninth_input[i % 2] * from[8 * (i / 2)];
      const double other = m->derivative_back.ninth_input[i % 2] * from[CUBE + 8 * (i / 2)];
      held[n].low[i] += same + other;
      held[n].high[i] += same - other;
    }
    const tile_place to = ends_place(v, &in_v, framing_row(frame, n) * BP_NQ + first,
                                     framing_row(frame, n) * BP_NQ + first + 8, PLANE);
    tile_write_both(&to, true, true, q, PLANE, BP_NQ, &held[n]);
  }
}

/* From the halves of u, planes 0 to 7 and 8 to 15, to the cubes; the middle to a slab of its own. */
BP_DEVICE void frame_start(int frame, const tile_operators *m, double *low, double *high,
                           double *cube, double *middle)
{
  const int q = bp_lane() % 4, first = bp_lane() / 4;
  const bool crossed = q % 2;
  BP_UNROLL
  for (int n = 0; n < TILES_EACH && framing_has(frame, n); ++n) {
    tile_halves h;
    tile_values y;
    tile_place in;
    BP_UNROLL
    for (int p = 0; p < 2; ++p) {
      const int pencil = framing_row(frame, n) * BP_NQ + first + 8 * (p != crossed);
      in.low[p] = low + pencil + q * PLANE;
      in.high[p] = high + pencil + (7 - q) * PLANE;
      in.second[p] = in.high[p] - 4 * PLANE;
    }
    tile_read(&in, PLANE, BP_NQ, &y);
    tile_uncross(crossed, &y);
    tile_split(&y, true, &h);
    BP_WARP_BARRIER();
    tile_place at = frame_place(cube, framing_row(frame, n)), at_t;
    tile_values x;
    at.ninth[0] = middle + framing_row(frame, n) * ROW + first;
    at.ninth[1] = at.ninth[0] + 8;
    at_t = tile_place_moved(&at, CUBE);
    tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &x);
    tile_write_both(&at, true, true, q, SLAB, BP_NC, &x);
    tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, true, &h, &x);
    tile_write_both(&at_t, true, true, q, SLAB, BP_NC, &x);
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, 1)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [ITEM_BARRIERS]);
  BP_SHARED(bp_mbarrier,
            slices_done, [1]); /* all warps are through with their slices, but for the middle */
  BP_SHARED(bp_mbarrier, u_free, [1]); /* those with ends have read u */
  BP_SHARED(int, dealt, [2]);
  const item_ring ring = {shared, u, factors, elements, full, dealt};
  double *cube = shared + ROOMS * SLICE_ROOM;

  begin_apart(1);
  if (bp_thread() == 0) {
    bp_mbarrier_start(slices_done, 32 * WARPS);
    bp_mbarrier_start(u_free, 32 * FRAMING);
  }
  items_barriers(&ring);
  const int number = bp_thread() == 0 ? dealt_take(elements, 1) : 0;

  /* taken before data are asked for, and not after that, as elsewhere: then registers are spilled */
  tile_operators m = tile_operators_ask();
  tile_operators_take(&m);
  const slice_lane lane = slice_lane_of();
  const int warp = bp_keep(bp_warp()), frame = warp - (warp + 3 - SCHEDULER) / 4;
  const bool lone = warp == LONE_WARP, framing = warp % 4 != SCHEDULER;

  if (bp_thread() == 0)
    items_deal(&ring, number);
  items_start_u(&ring);
  items_start(&ring);
  BP_BARRIER();

  item_slot before = slot_before_start();
  for (item_slot start = slot_start();; slot_next_element(&ring, &start)) {
    const bool has_next = start.element < elements, has_before = before.element >= 0;
    int taken = 0;
    tile_values held[TILES_EACH];
    if (framing) {
      if (has_before)
        frame_back(frame, &m, cube, held);
      if (has_next) {
        const item_slot first = slot_at(before, U_ITEM), second = slot_at(before, U_ITEM + 1);
        double *low = item_wait(&ring, &first), *high = item_wait(&ring, &second);
        frame_start(frame, &m, low, high, cube, cube + middle_slab(&start));
        bp_mbarrier_arrive(u_free);
      }
    }
    BP_BARRIER();
    if (framing && has_before)
      frame_finish(frame, &m, cube + middle_slab(&before), v + (size_t)before.element * NODES,
                   held);
    if (!has_next)
      break;
    if (warp == ASKING) {
      bp_mbarrier_wait(u_free, start.barriers != 0);
      item_next(&ring, slot_at(before, U_ITEM));
      item_next(&ring, slot_at(before, U_ITEM + 1));
      if (bp_lane() == 0)
        taken = dealt_take(elements, 1);
      taken = bp_shuffle(taken, 0); /* waits for it here: 0.2 to 0.7 % faster than where it is needed */
    }
    BP_NO_UNROLL
    for (item_slot here = slot_at(start, warp); here.n < OTHERS || (lone && here.n == ITEMS - 1);) {
      const bool is_middle = here.n == ITEMS - 1;
      if (is_middle)
        bp_mbarrier_arrive(slices_done);
      slice_compute(cube + (is_middle ? middle_slab(&here) : SLICE_OF(here.n) * SLAB), &lane, &m,
                    lambda, &ring, &here);
      slot_advance(&here, WARPS);
      if (lone && here.n == OTHERS)
        here = slot_at(start, ITEMS - 1);
    }
    if (warp == ASKING && bp_lane() == 0)
      slot_deal(&ring, &start, taken);
    if (!lone)
      bp_mbarrier_arrive(slices_done);
    if (framing)
      bp_mbarrier_wait(slices_done, start.barriers != 0);
    before = start;
  }
}
