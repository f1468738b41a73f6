/* pipeline_per_warp.h -- slices of factors that come through rooms of each warp's own: of an element warp
 * w takes slices w, w + WARPS, and so on, and has ROOMS of them on their way. */
#ifndef BP_KERNELS_ROOMS_H
#define BP_KERNELS_ROOMS_H

#include "lib/memory/factor_slices.h"

/* No more rooms are used than the warp has slices: so what is asked for belongs to the element that is
 * computed, or to the next one. */
enum { ROOMS_USED = ROOMS * WARPS <= BP_NC ? ROOMS : WARPS < BP_NC ? BP_NC / WARPS : 1 };

/* A warp that none has fewer slices than: it sees to what one thread does for all, and others do not wait. */
enum { LEAST_WARP = (WARPS < BP_NC ? WARPS : BP_NC) - 1 };

/* A slice in the order in which its warp takes them. */
typedef struct {
  int element, k;
} warp_slice;

/* The warp's rooms, their barriers, the room that comes next and its phase; the slice to be asked for
 * next, of the element that is computed or of the next one. */
typedef struct {
  double *first;
  bp_mbarrier *full;
  int room, parity, k;
  bool of_next;
} warp_rooms;

/* By one lane: asks for the slice ahead. */
BP_DEVICE void warp_rooms_request(const warp_rooms *r, const double *factors, int element,
                                  int elements)
{
  if (element < elements)
    slice_load(r->first + r->room * SLICE_ROOM, factors, element, r->k, &r->full[r->room]);
}

BP_DEVICE void warp_rooms_pass(warp_rooms *r)
{
  r->room = r->room + 1 < ROOMS_USED ? r->room + 1 : 0;
  r->parity ^= r->room == 0;
  r->k += WARPS;
  if (r->k >= BP_NC) {
    r->k = bp_warp();
    r->of_next = true;
  }
}

/* By one thread, before bp_mbarrier_fence: all warps' barriers, WARPS * ROOMS. */
BP_DEVICE void warp_rooms_barriers(bp_mbarrier *full)
{
  for (int n = 0; n < WARPS * ROOMS; ++n)
    bp_mbarrier_start(&full[n], 1);
}

/* By all threads, behind a barrier after that: the first slices are on their way. */
BP_DEVICE warp_rooms warp_rooms_start(double *rooms, const double *factors, int elements,
                                      bp_mbarrier *full)
{
  warp_rooms r = {
      rooms + bp_warp() * ROOMS * SLICE_ROOM, full + bp_warp() * ROOMS, 0, 0, bp_warp(), false};
  for (int n = 0; n < ROOMS_USED; ++n) {
    if (bp_lane() == 0 && bp_warp() < BP_NC)
      warp_rooms_request(&r, factors, (int)blockIdx.x, elements);
    warp_rooms_pass(&r);
  }
  r.parity = 0;
  return r;
}

/* By the warp, before an element's slices. */
BP_DEVICE void warp_rooms_element(warp_rooms *r)
{
  r->of_next = bp_warp() + ROOMS_USED * WARPS >= BP_NC;
}

/* Waits for the warp's next slice, which is `s`, and tells where it is. */
BP_DEVICE double *warp_rooms_wait(const warp_rooms *r, warp_slice s)
{
  bp_mbarrier_wait(&r->full[r->room], r->parity);
  return r->first + r->room * SLICE_ROOM + slice_offset(s.element, s.k);
}

/* By the warp, when it has read that slice. */
BP_DEVICE void warp_rooms_next(warp_rooms *r, const double *factors, int element, int next,
                               int elements)
{
  BP_WARP_BARRIER();
  if (bp_lane() == 0)
    warp_rooms_request(r, factors, r->of_next ? next : element, elements);
  warp_rooms_pass(r);
}

#endif
