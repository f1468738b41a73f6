/* pipeline_per_warp.h -- persistent blocks whose warps share the slices of an element, each with slots of its own: warp
 * w computes slices w, w + WARPS, and so on, and has SLOTS_USED of them on their way.
 *
 *   each warp                                  lane 0
 *   warp_pipeline_start                        issues the first slices of the first element
 *   per slice:
 *     warp_pipeline_wait    full[slot]
 *     compute
 *     warp_pipeline_refill  BP_WARP_BARRIER    issues the slice SLOTS_USED further, maybe of the next element
 *   boundaries of the elements: BP_BARRIER
 *
 *   shared memory:  warp 0: [slot 0 .. slot SLOTS-1]  warp 1: [slot 0 .. ]  ...
 *
 * Its options: warps, slots. */
#ifndef BP_KERNELS_PIPELINE_PER_WARP_H
#define BP_KERNELS_PIPELINE_PER_WARP_H

#include "lib/memory/factor_slices.h"

/* No more rooms are used than the warp has slices: so what is asked for belongs to the element that is
 * computed, or to the next one. */
enum { SLOTS_USED = SLOTS * WARPS <= BP_NC ? SLOTS : WARPS < BP_NC ? BP_NC / WARPS : 1 };

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
  int slot, parity, k;
  bool of_next;
} warp_pipeline;

/* By one lane: asks for the slice ahead. */
BP_DEVICE void warp_pipeline_issue(const warp_pipeline *r, const double *factors, int element,
                                  int elements)
{
  if (element < elements)
    slice_prefetch(r->first + r->slot * SLICE_SLOT, factors, element, r->k, &r->full[r->slot]);
}

BP_DEVICE void warp_pipeline_advance(warp_pipeline *r)
{
  r->slot = r->slot + 1 < SLOTS_USED ? r->slot + 1 : 0;
  r->parity ^= r->slot == 0;
  r->k += WARPS;
  if (r->k >= BP_NC) {
    r->k = bp_warp();
    r->of_next = true;
  }
}

/* By one thread, before bp_mbarrier_fence: all warps' barriers, WARPS * ROOMS. */
BP_DEVICE void warp_pipeline_init(bp_mbarrier *full)
{
  for (int n = 0; n < WARPS * SLOTS; ++n)
    bp_mbarrier_start(&full[n], 1);
}

/* By all threads, behind a barrier after that: the first slices are on their way. */
BP_DEVICE warp_pipeline warp_pipeline_start(double *slots, const double *factors, int elements,
                                      bp_mbarrier *full)
{
  warp_pipeline r = {
      slots + bp_warp() * SLOTS * SLICE_SLOT, full + bp_warp() * SLOTS, 0, 0, bp_warp(), false};
  for (int n = 0; n < SLOTS_USED; ++n) {
    if (bp_lane() == 0 && bp_warp() < BP_NC)
      warp_pipeline_issue(&r, factors, (int)blockIdx.x, elements);
    warp_pipeline_advance(&r);
  }
  r.parity = 0;
  return r;
}

/* By the warp, before an element's slices. */
BP_DEVICE void warp_pipeline_element(warp_pipeline *r)
{
  r->of_next = bp_warp() + SLOTS_USED * WARPS >= BP_NC;
}

/* Waits for the warp's next slice, which is `s`, and tells where it is. */
BP_DEVICE double *warp_pipeline_wait(const warp_pipeline *r, warp_slice s)
{
  bp_mbarrier_wait(&r->full[r->slot], r->parity);
  return r->first + r->slot * SLICE_SLOT + slice_offset(s.element, s.k);
}

/* By the warp, when it has read that slice. */
BP_DEVICE void warp_pipeline_refill(warp_pipeline *r, const double *factors, int element, int next,
                               int elements)
{
  BP_WARP_BARRIER();
  if (bp_lane() == 0)
    warp_pipeline_issue(r, factors, r->of_next ? next : element, elements);
  warp_pipeline_advance(r);
}

#endif
