/* tensor.h -- persistent blocks whose warps take the slices of an element in turn. The factors of slices pass
 * through RING rooms in shared memory, each filled again by a bulk copy as soon as a warp has read it.
 *
 * With U_IN_RING, of each element slice k comes into room k % ROOMS, and u of the next element into the last two rooms
 * when this element's slices have passed through them; theirs of the next element are asked for when u has been read. */
#ifndef BP_KERNELS_TENSOR_H
#define BP_KERNELS_TENSOR_H

#include "flux.h"
#include "slices.h"
#include "tile.h"

/* A block's slices are counted through its elements, and number n comes into room n % ROOMS. Each slice of
 * two elements in turn has a barrier of its own: none is used again before all warps are through with the
 * element, lest one takes another phase for its own. */
#ifndef U_IN_RING
#define U_IN_RING 0
#endif
enum {
  AREA = BP_NC * BP_NC, /* of a slice, in points */
  ROOMS = RING < BP_NC ? RING : BP_NC,
  SLICE_BARRIERS = 2 * BP_NC,
  SLICE_ROOMS = ROOMS - 2 * U_IN_RING /* that never have u */
};

typedef struct {
  int element, k, room, barriers, parity; /* barriers: the element's first one */
} slice_slot;

BP_DEVICE int room_after(int room, int slices)
{
  room += slices % ROOMS;
  return room < ROOMS ? room : room - ROOMS;
}

/* Of an element the first: of the block's first one, of the next one. */
BP_DEVICE slice_slot slot_start()
{
  const slice_slot s = {(int)blockIdx.x, 0, 0, 0, 0};
  return s;
}

BP_DEVICE void slot_next_element(slice_slot *s)
{
  s->element += (int)gridDim.x;
  s->parity ^= s->barriers != 0;
  s->barriers = BP_NC - s->barriers;
  s->room = U_IN_RING ? 0 : room_after(s->room, BP_NC);
}

/* The warp's first of the element, and its next. */
BP_DEVICE slice_slot slot_of_warp(slice_slot s)
{
  s.k = bp_warp();
  s.room = (s.room + bp_warp()) % ROOMS;
  return s;
}

BP_DEVICE void slot_advance(slice_slot *s)
{
  s->k += WARPS;
  s->room = room_after(s->room, WARPS);
}

/* By one lane: asks for the slot's slice. */
BP_DEVICE void slice_request(double *rooms, const double *factors, const slice_slot *s,
                             int elements, bp_mbarrier *full)
{
  if (s->element < elements)
    slice_load(rooms + s->room * SLICE_ROOM, factors, s->element, s->k, &full[s->barriers + s->k]);
}

/* By the warp, when it has read the slot's slice: one lane asks for the next that comes into its room. */
BP_DEVICE void slice_next(double *rooms, const double *factors, slice_slot s, int elements,
                          bp_mbarrier *full)
{
  BP_WARP_BARRIER();
  if (bp_lane() == 0) {
    s.k += ROOMS;
    if (s.k >= BP_NC) {
      s.k = U_IN_RING ? s.room : s.k - BP_NC;
      s.element += (int)gridDim.x;
      s.barriers = BP_NC - s.barriers;
    }
    slice_request(rooms, factors, &s, elements, full);
  }
}

/* Whether u of the next element comes into the room after the slot's slice. */
BP_DEVICE bool slot_precedes_u(const slice_slot *s)
{
  return U_IN_RING && s->k + ROOMS >= BP_NC && s->room >= SLICE_ROOMS;
}

/* Then, instead: when the slices in both rooms have been read the warp with the later one asks. `free` counts two. */
BP_DEVICE void slice_next_u(double *rooms, const double *u, slice_slot s, int elements, bp_mbarrier *full,
                            bp_mbarrier *free)
{
  BP_WARP_BARRIER();
  if (bp_lane() == 0) {
    const int other_room = s.room + 1 < ROOMS ? ROOMS - 1 : ROOMS - 2;
    const int other = BP_NC - 1 - (BP_NC - 1 - other_room) % ROOMS;
    bp_mbarrier_arrive(free);
    if (s.k > other) {
      bp_mbarrier_wait(free, s.barriers != 0);
      nodes_request(rooms + SLICE_ROOMS * SLICE_ROOM, u, s.element + (int)gridDim.x, elements, full);
    }
  }
}

/* By one thread, when all have read u of the element: its slices that come into the same rooms. */
BP_DEVICE void slices_after_u(double *rooms, const double *factors, slice_slot s, int elements,
                              bp_mbarrier *full)
{
  for (s.k = s.room = SLICE_ROOMS; s.k < ROOMS; ++s.k, ++s.room)
    slice_request(rooms, factors, &s, elements, full);
}

/* Waits for the slot's slice and tells where it is. */
BP_DEVICE double *slice_wait(double *rooms, const slice_slot *s, bp_mbarrier *full)
{
  bp_mbarrier_wait(&full[s->barriers + s->k], s->parity);
  return rooms + s->room * SLICE_ROOM + slice_offset(s->element, s->k);
}

/* x becomes W x in a tile whose pencils are rows j0 and j1 of the slice. */
BP_DEVICE void slice_weigh(const double *slice, int j0, int j1, bool both, int q, tile_values *x)
{
  BP_UNROLL
  for (int n = 0; n < (both ? 4 : 2); ++n) {
    const int j = n < 2 ? j0 : j1, i = tile_position(q, n % 2, BP_NC);
    x->low[n] *= slice[rotated_index(j, i)];
    x->high[n] *= slice[rotated_index(j, BP_NC - 1 - i)];
  }
  if (NINTH(BP_NC)) {
    BP_UNROLL
    for (int h = 0; h < (both ? 2 : 1); ++h)
      x->ninth[h] *= slice[rotated_index(h ? j1 : j0, 8)];
  }
}

#if BP_COMPONENTS == 7
/* For a tile whose pencils are rows j0 and j1 of the slice. */
BP_DEVICE void slice_fluxes(const double *slice, int j0, int j1, bool both, int q, double lambda,
                            tile_values *u, tile_values *r, tile_values *s, tile_values *t)
{
  BP_UNROLL
  for (int n = 0; n < (both ? 4 : 2); ++n) {
    const int j = n < 2 ? j0 : j1, i = tile_position(q, n % 2, BP_NC);
    flux(slice + rotated_index(j, i), AREA, lambda, &r->low[n], &s->low[n], &t->low[n], &u->low[n]);
    flux(slice + rotated_index(j, BP_NC - 1 - i), AREA, lambda, &r->high[n], &s->high[n],
         &t->high[n], &u->high[n]);
  }
  if (NINTH(BP_NC)) {
    BP_UNROLL
    for (int h = 0; h < (both ? 2 : 1); ++h)
      flux(slice + rotated_index(h ? j1 : j0, 8), AREA, lambda, &r->ninth[h], &s->ninth[h],
           &t->ninth[h], &u->ninth[h]);
  }
}
#endif

/* By all threads, before nodes_start: the block's first slices are on their way. */
BP_DEVICE void slices_start(double *rooms, const double *factors, int elements, bp_mbarrier *full)
{
  if (bp_thread() == 0) {
    for (int n = 0; n < SLICE_BARRIERS; ++n)
      bp_mbarrier_start(&full[n], 1);
    bp_mbarrier_fence();
    for (int n = 0; n < SLICE_ROOMS; ++n) {
      const slice_slot slot = {(int)blockIdx.x, n, n, 0, 0};
      slice_request(rooms, factors, &slot, elements, full);
    }
  }
}

#endif
