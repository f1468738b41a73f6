/* bp1.0/in-place -- u comes and v leaves by bulk copies of whole elements; all contractions in that place
 *
 * degrees:  8..14
 * requires: sm_90
 * factors:  ekcji align 2 tiled
 * option:   warps 1..17 = 4 -- warps of a block
 * option:   rooms 1..4 = 1 -- slices of factors in shared memory at once, of each warp
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * launch:   apply; threads 32 * warps; blocks elements < sms * blocks_per_sm ? elements : sms * blocks_per_sm; shared 8 * (warps * rooms * ((nc*nc + 31) / 16 * 16) + 2 * ((nc * nq*nq + 31) / 16 * 16) + nc * (nq + (nq*nq - nq) % 16) + 32)
 *
 * As bp3.0/tensor.cu, a warp per slice between the contractions along t. But u is contracted where it lies, and v is
 * left there as it has to be in memory: two rooms take the elements in turn. While one is computed, the other
 * one's v leaves and the next u comes. A slice has one row more than there is room for; the last rows of all
 * slices lie in a room of their own, in the banks where they would be. */
#include "dealt.h"
#include "rooms.h"
#include "tile_place.h"

enum {
  PLANE = BP_NQ * BP_NQ,
  ROW = BP_NQ,
  ELEMENT_ROOM = (BP_NC * PLANE + 31) / 16 * 16,
  LAST_ROW = BP_NQ + (PLANE - BP_NQ) % 16 /* from one to the next, of whole slices */
};

/* Along t, for 16 pencils at a time, in place: from points to nodes in `v`, then from nodes to points in `u`;
 * either may be 0. */
BP_DEVICE void ends(double *v, double *u, const tile_matrix *there, const tile_matrix *back,
                    const tile_offsets *lane)
{
  const int g = bp_lane() / 4, q = bp_lane() % 4, p0 = tile_pencil_t(g, 0),
            p1 = tile_pencil_t(g, 1);
  BP_NO_UNROLL
  for (int tile = 16 * bp_warp(); tile < PLANE; tile += 16 * WARPS) {
    const bool in0 = tile + p0 < PLANE, in1 = tile + p1 < PLANE;
    const int shift0 = (in0 ? tile : PLANE - 1 - p0) * (int)sizeof(double);
    const int shift1 = (in1 ? tile : PLANE - 1 - p1) * (int)sizeof(double);
    const tile_offsets o = {{lane->low[0] + shift0, lane->low[1] + shift1},
                            {lane->high[0] + shift0, lane->high[1] + shift1}};
    tile_values x;
    if (v) {
      tile_place p = tile_place_at(v, &o, PLANE, 0);
      tile_read(&p, PLANE, BP_NC, &x);
      tile_contract(back, BP_NC, BP_NQ, &x);
      p = tile_place_at(v, &o, PLANE, -PLANE);
      tile_write(&p, in0, in1, q, PLANE, BP_NQ, &x);
    }
    if (u) {
      tile_place p = tile_place_at(u, &o, PLANE, -PLANE);
      tile_read(&p, PLANE, BP_NQ, &x);
      tile_contract(there, BP_NQ, BP_NC, &x);
      p = tile_place_at(u, &o, PLANE, 0);
      tile_write(&p, in0, in1, q, PLANE, BP_NC, &x);
    }
  }
}

/* By one thread, after a barrier behind bp_async_fence: v leaves its room. */
BP_DEVICE void element_store(double *v, const double *from, size_t first)
{
  const int odd = (int)(first % 2), pairs = (NODES - odd) / 2;
  if (odd)
    v[first] = from[0];
  if ((NODES - odd) % 2)
    v[first + NODES - 1] = from[NODES - 1];
  bp_bulk_store(v + first + odd, from + odd, pairs * 16);
  bp_bulk_commit();
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, TILE_BLOCKS)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [WARPS * ROOMS]);
  BP_SHARED(bp_mbarrier, u_full, [2]);
  BP_SHARED(int, dealt, [1]);
  double *elements_room = shared + WARPS * ROOMS * SLICE_ROOM;
  double *last_rows = elements_room + 2 * ELEMENT_ROOM + PLANE % 16;
  if (bp_thread() == 0) {
    bp_mbarrier_start(&u_full[1], 1);
    warp_rooms_barriers(full);
  }
  nodes_start(elements_room, u, elements, &u_full[0]);
  int number = bp_thread() == 0 ? dealt_take() : 0;

  const tile_matrix there = tile_matrix_of(TILE_VALUE, false),
                    back = tile_matrix_of(TILE_VALUE, true);
  const int q = bp_keep(bp_lane() % 4), g = bp_lane() / 4, half = g / 4 * 4;
  const bool i0_in = tile_pencil_s(g, 0) < BP_NQ, i1_in = tile_pencil_s(g, 1) < BP_NQ;
  const bool j0_in = tile_pencil_r(g, 0) < BP_NC, j1_in = tile_pencil_r(g, 1) < BP_NC;
  const int j0 = tile_stand_in(tile_pencil_r(g, 0), tile_pencil_r(half, 0), BP_NC);
  const int j1 = tile_stand_in(tile_pencil_r(g, 1), tile_pencil_r(half, 1), BP_NC);
  const bool j0_last = j0 == BP_NQ, j1_last = j1 == BP_NQ;
  const tile_offsets along_t =
      tile_offsets_of(tile_pencil_t(g, 0), tile_pencil_t(g, 1), PLANE, BP_NC);
  const tile_offsets along_s = tile_offsets_of(
      tile_stand_in(tile_pencil_s(g, 0), tile_pencil_s(half, 0), BP_NQ),
      tile_stand_in(tile_pencil_s(g, 1), tile_pencil_s(half, 1), BP_NQ), ROW, BP_NQ);
  const tile_offsets along_r = tile_offsets_of(j0 * ROW, j1 * ROW, 1, BP_NQ);
  tile_offsets factors0, factors1;
  tile_factor_offsets(j0, 0, BP_NC, TILE_APART, &factors0, &factors1);
  tile_factor_offsets(j1, 1, BP_NC, TILE_APART, &factors0, &factors1);
  warp_rooms rooms = warp_rooms_start(shared, factors, elements, full);

  double *before = 0;
  int lap = 0, e = (int)blockIdx.x, previous = 0;
  for (;; lap = (lap + 1) % 4) {
    const size_t first = (size_t)e * NODES;
    double *room = elements_room + lap % 2 * ELEMENT_ROOM, *element = room + span_offset(first);
    double *other_room = elements_room + (1 - lap % 2) * ELEMENT_ROOM;
    if (e < elements)
      bp_mbarrier_wait(&u_full[lap % 2], lap / 2);
    ends(before, e < elements ? element : 0, &there, &back, &along_t);
    bp_async_fence();
    if (bp_thread() == 0 && e < elements)
      dealt_next(&number, elements, dealt);
    BP_BARRIER();
    const int next = *dealt;
    if (bp_thread() == 0 && before)
      element_store(v, before, (size_t)previous * NODES);
    if (e >= elements)
      break;
    warp_rooms_element(&rooms);
    BP_NO_UNROLL
    for (int k = bp_warp(); k < BP_NC; k += WARPS) {
      const warp_slice here = {e, k};
      double *slab = element + k * PLANE;
      const int beyond = (int)(last_rows - room) + k * LAST_ROW - (k + 1) * PLANE;
      const tile_place s = tile_place_at(slab, &along_s, ROW, 0);
      tile_place points = tile_place_at(slab, &along_s, ROW, ROW),
                 r = tile_place_at(slab, &along_r, 1, 0);
      tile_values x;
      BP_UNROLL
      for (int h = 0; h < 2; ++h) {
        const int row_beyond = (h ? j1_last : j0_last) ? beyond : 0;
        points.high[h] += q == 0 ? beyond : 0;
        r.low[h] += row_beyond;
        r.high[h] += row_beyond;
        r.second[h] += row_beyond;
      }

      tile_read(&s, ROW, BP_NQ, &x);
      tile_contract(&there, BP_NQ, BP_NC, &x);
      tile_write(&points, i0_in, i1_in, q, ROW, BP_NC, &x);
      BP_WARP_BARRIER();
      tile_read(&r, 1, BP_NQ, &x);
      tile_contract(&there, BP_NQ, BP_NC, &x);
      double *f = warp_rooms_wait(&rooms, here);
      const tile_place f0 = tile_place_at(f, &factors0, 0, 0),
                       f1 = tile_place_at(f, &factors1, 0, 0);
      BP_UNROLL
      for (int h = 0; h < 2; ++h) {
        x.low[2 * h] *= *f0.low[h];
        x.high[2 * h] *= *f0.high[h];
        x.low[2 * h + 1] *= *f1.low[h];
        x.high[2 * h + 1] *= *f1.high[h];
      }
      warp_rooms_next(&rooms, factors, e, next, elements);
      tile_contract(&back, BP_NC, BP_NQ, &x);
      tile_write(&r, j0_in, j1_in, q, 1, BP_NQ, &x);
      BP_WARP_BARRIER();
      tile_read(&points, ROW, BP_NC, &x);
      tile_contract(&back, BP_NC, BP_NQ, &x);
      tile_write(&s, i0_in, i1_in, q, ROW, BP_NQ, &x);
      if (bp_thread() == 0 && k == 0) {
        BP_BULK_WAIT_READ(0);
        nodes_request(other_room, u, next, elements, &u_full[1 - lap % 2]);
      }
    }
    before = element;
    previous = e;
    BP_BARRIER();
    e = next;
  }
  if (bp_thread() == 0)
    BP_BULK_WAIT(0);
}
