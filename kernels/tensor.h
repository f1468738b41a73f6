/* tensor.h -- persistent blocks whose warps take the slices of an element in turn. The factors of slices pass
 * through RING rooms in shared memory, each filled again by a bulk copy as soon as a warp has read it. */
#ifndef BP_KERNELS_TENSOR_H
#define BP_KERNELS_TENSOR_H

#include "flux.h"
#include "slices.h"
#include "tile.h"

/* A block's slices are counted through its elements, and number n comes into room n % ROOMS. Each slice of
 * two elements in turn has a barrier of its own: none is used again before all warps are through with the
 * element, lest one takes another phase for its own. */
enum {
  AREA = BP_NC * BP_NC, /* of a slice, in points */
  ROOMS = RING < BP_NC ? RING : BP_NC,
  SLICE_BARRIERS = 2 * BP_NC
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
  s->room = room_after(s->room, BP_NC);
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

/* By a warp: asks for the slot's slice. All lanes arrive: that orders what each has read from the room before
 * what comes into it. */
BP_DEVICE void slice_request(double *rooms, const double *factors, const slice_slot *s,
                             int elements, bp_mbarrier *full)
{
  bp_mbarrier *barrier = &full[s->barriers + s->k];
  if (s->element < elements) {
    if (bp_lane() == 0)
      slice_load(rooms + s->room * SLICE_ROOM, factors, s->element, s->k, barrier);
    else
      bp_mbarrier_arrive(barrier);
  }
}

/* By the warp, when it has read the slot's slice: asks for the next that comes into its room. */
BP_DEVICE void slice_next(double *rooms, const double *factors, slice_slot s, int elements,
                          bp_mbarrier *full)
{
  BP_WARP_BARRIER();
  s.k += ROOMS;
  if (s.k >= BP_NC) {
    s.k -= BP_NC;
    s.element += (int)gridDim.x;
    s.barriers = BP_NC - s.barriers;
  }
  slice_request(rooms, factors, &s, elements, full);
}

/* Waits for the slot's slice and tells where it is. */
BP_DEVICE double *slice_wait(double *rooms, const slice_slot *s, bp_mbarrier *full)
{
  bp_mbarrier_wait(&full[s->barriers + s->k], s->parity);
  return rooms + s->room * SLICE_ROOM + slice_offset(s->element, s->k);
}

/* By all threads, before nodes_start: the block's first slices are on their way. */
BP_DEVICE void slices_start(double *rooms, const double *factors, int elements, bp_mbarrier *full)
{
  if (bp_thread() == 0) {
    for (int n = 0; n < SLICE_BARRIERS; ++n)
      bp_mbarrier_start(&full[n], 32);
    bp_mbarrier_fence();
  }
  BP_WARP_BARRIER();
  if (bp_warp() == 0)
    for (int n = 0; n < ROOMS; ++n) {
      const slice_slot slot = {(int)blockIdx.x, n, n, 0, 0};
      slice_request(rooms, factors, &slot, elements, full);
    }
}

#endif
