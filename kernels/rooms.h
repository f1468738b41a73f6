/* rooms.h -- slices of factors that come through rooms of each warp's own: of an element warp w takes
 * slices w, w + WARPS, and so on, and has ROOMS of them on their way. */
#ifndef BP_KERNELS_ROOMS_H
#define BP_KERNELS_ROOMS_H

#include "slices.h"

/* A slice in the order in which its warp takes them. */
typedef struct {
  int element, k;
} warp_slice;

BP_DEVICE warp_slice warp_slice_after(warp_slice s)
{
  s.k += WARPS;
  if (s.k >= BP_NC) {
    s.k = bp_warp();
    s.element += (int)gridDim.x;
  }
  return s;
}

/* The warp's rooms, their barriers, the room that comes next and its phase; the slice to be asked for
 * next. */
typedef struct {
  double *first;
  bp_mbarrier *full;
  int room, parity;
  warp_slice ahead;
} warp_rooms;

/* By one lane: asks for the slice ahead. */
BP_DEVICE void warp_rooms_request(const warp_rooms *r, const double *factors, int elements)
{
  if (r->ahead.element < elements)
    slice_load(r->first + r->room * SLICE_ROOM, factors, r->ahead.element, r->ahead.k,
               &r->full[r->room]);
}

BP_DEVICE void warp_rooms_pass(warp_rooms *r)
{
  r->room = r->room + 1 < ROOMS ? r->room + 1 : 0;
  r->parity ^= r->room == 0;
  r->ahead = warp_slice_after(r->ahead);
}

/* By all threads: the first slices are on their way. `full` has WARPS * ROOMS barriers. */
BP_DEVICE warp_rooms warp_rooms_start(double *rooms, const double *factors, int elements,
                                      bp_mbarrier *full)
{
  warp_rooms r = {rooms + bp_warp() * ROOMS * SLICE_ROOM,
                  full + bp_warp() * ROOMS,
                  0,
                  0,
                  {(int)blockIdx.x, bp_warp()}};
  if (bp_lane() == 0) {
    for (int n = 0; n < ROOMS; ++n)
      bp_mbarrier_start(&r.full[n], 1);
    bp_mbarrier_fence();
  }
  BP_WARP_BARRIER();
  for (int n = 0; n < ROOMS; ++n) {
    if (bp_lane() == 0 && bp_warp() < BP_NC)
      warp_rooms_request(&r, factors, elements);
    warp_rooms_pass(&r);
  }
  r.parity = 0;
  return r;
}

/* Waits for the warp's next slice, which is `s`, and tells where it is. */
BP_DEVICE double *warp_rooms_wait(const warp_rooms *r, warp_slice s)
{
  bp_mbarrier_wait(&r->full[r->room], r->parity);
  return r->first + r->room * SLICE_ROOM + slice_offset(s.element, s.k);
}

/* By the warp, when it has read that slice. */
BP_DEVICE void warp_rooms_next(warp_rooms *r, const double *factors, int elements)
{
  BP_WARP_BARRIER();
  if (bp_lane() == 0)
    warp_rooms_request(r, factors, elements);
  warp_rooms_pass(r);
}

#endif
