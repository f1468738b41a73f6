/* bp3.0/turn -- a warp per slice, which goes to the points in registers; contractions on the tensor cores
 *
 * degrees:  7..14
 * requires: sm_90
 * factors:  ekcji align 2
 * option:   warps 1..17 = 4 -- warps of a block
 * option:   ring 1..17 = 4 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * launch:   apply; threads 32 * warps; blocks elements < sms * blocks_per_sm ? elements : sms * blocks_per_sm; shared 8 * (ring * ((7 * nc*nc + 31) / 16 * 16) + 2 * nc * ((nq * (nq % 4 == 2 ? nq + 1 : nq) + 1) / 4 * 4 + 2) + (nq*nq*nq + 31) / 16 * 16)
 *
 * As tensor.cu, but within a slice no values pass through shared memory: its rows come from the two cubes, are
 * contracted along r by products that turn the tile, then along s, meet the factors, and likewise back. That
 * costs a third more products and saves two thirds of the loads and stores.
 */
#include "gpu.h"
#include "turn.h"
#include "tensor.h"

enum {
  PLANE = BP_NQ * BP_NQ,
  ROW = BP_NQ % 4 == 2 ? BP_NQ + 1 : BP_NQ,
  SLAB = (BP_NQ * ROW + 1) / 4 * 4 + 2,
  CUBE = BP_NC * SLAB
};

#include "ends.h"

/* Where a lane's points lie in a plane of a slice: pencils along s at i = g and its mirror image. */
typedef struct {
  int low[4], high[4];
} slice_places;

BP_DEVICE slice_places slice_places_of()
{
  const int g = min(bp_lane() / 4, BP_HALF(BP_NC) - 1), q = bp_lane() % 4;
  slice_places p;
  BP_UNROLL
  for (int n = 0; n < 4; ++n) {
    const int i = n < 2 ? g : BP_NC - 1 - g, j = tile_position(q, n % 2, BP_NC);
    p.low[n] = bp_keep(j * BP_NC + i);
    p.high[n] = bp_keep((BP_NC - 1 - j) * BP_NC + i);
  }
  return p;
}

BP_DEVICE void slice_turned_fluxes(const double *slice, const slice_places *p, double lambda,
                                   tile_values *u, tile_values *r, tile_values *s, tile_values *t)
{
  BP_UNROLL
  for (int n = 0; n < 4; ++n) {
    flux(slice + p->low[n], AREA, lambda, &r->low[n], &s->low[n], &t->low[n], &u->low[n]);
    flux(slice + p->high[n], AREA, lambda, &r->high[n], &s->high[n], &t->high[n], &u->high[n]);
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_BARRIERS]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  double *rooms = shared;
  double *cube = rooms + ROOMS * SLICE_ROOM, *u_room = cube + 2 * CUBE;
  const tile_operators m = tile_operators_of();
  const tile_turner turner = tile_turner_of();
  const tile_back_turner value_back = tile_back_turner_of(TILE_VALUE);
  const tile_back_turner derivative_back = tile_back_turner_of(TILE_DERIVATIVE);
  const int q = bp_keep(bp_lane() % 4), g = bp_keep(bp_lane() / 4);
  const bool is_node = g < BP_HALF(BP_NQ);
  const int n0 = bp_keep(min(g, BP_HALF(BP_NQ) - 1));
  const slice_places places = slice_places_of();

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
      double *slab = cube + here.k * SLAB;
      double *row0 = slab + n0 * ROW, *row1 = slab + (BP_NQ - 1 - n0) * ROW;
      tile_values x, y, value, r, s, t;
      tile_halves h;

      /* along r, then s, to points */
      tile_load(row0, row1, true, q, 1, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_turn(&turner, &h, &x, &y);
      tile_split(&x, true, &h);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &value);
      tile_apply(&m.derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, true, &h, &s);
      tile_split(&y, true, &h);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &r);
      tile_load(row0 + CUBE, row1 + CUBE, true, q, 1, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_turn(&turner, &h, &x, 0);
      tile_split(&x, true, &h);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &t);
      const double *f = slice_wait(rooms, &here, full);
      slice_turned_fluxes(f, &places, lambda, &value, &r, &s, &t);
      slice_next(rooms, factors, here, elements, full);

      /* along s, then r, to nodes */
      tile_turn_back(&value_back, &t, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, true, &h, &x);
      tile_replace(row0 + CUBE, row1 + CUBE, is_node, is_node, q, 1, BP_NQ, &x);
      double p[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
      tile_turn_add(&value_back, &value, p);
      tile_turn_add(&derivative_back, &s, p);
      tile_turned(p, &value);
      tile_turn_back(&value_back, &r, &r);
      tile_back(&m, &value, &r, &x);
      tile_store(row0, row1, is_node, is_node, q, 1, BP_NQ, &x);
    }
    BP_BARRIER();
  }
}
