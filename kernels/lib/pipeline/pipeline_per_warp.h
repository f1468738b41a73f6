/* pipeline_per_warp.h -- persistent blocks whose warps share the slices of an element, each with slots
 * of its own: warp w computes slices w, w + WARPS, and so on, and has SLOTS_USED of them on their
 * way.
 *
 *   each warp
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

/* No more slots are used than a warp has slices. So what a warp issues belongs to the element that
 * it computes, or to the next one. */
enum { SLOTS_USED = SLOTS * WARPS <= BP_NC ? SLOTS : WARPS < BP_NC ? BP_NC / WARPS : 1 };

/* A warp with the fewest slices: it claims elements and issues u, so that others need not wait for
 * it. */
enum { LEAST_WARP = (WARPS < BP_NC ? WARPS : BP_NC) - 1 };

/* A slice in the order in which its warp takes them. */
typedef struct {
  int element, k;
} warp_slice;

/* State of a warp: its slots and their barriers, the slot that comes next and its phase; the slice
 * to issue next, of the element that is computed or of the next one. */
typedef struct {
  real *first;
  bp_mbarrier *full;
  int slot, parity, k;
  bool of_next;
} warp_pipeline;

/* Issues the next slice. */
BP_DEVICE void warp_pipeline_issue(const warp_pipeline *p, const real *factors, int element,
                                   int elements)
{
  if (element < elements)
    slice_prefetch(p->first + p->slot * SLICE_SLOT, factors, element, p->k, &p->full[p->slot]);
}

BP_DEVICE void warp_pipeline_advance(warp_pipeline *p)
{
  p->slot = p->slot + 1 < SLOTS_USED ? p->slot + 1 : 0;
  p->parity ^= p->slot == 0;
  p->k += WARPS;
  if (p->k >= BP_NC) {
    p->k = bp_warp();
    p->of_next = true;
  }
}

/* By one thread, before bp_mbarrier_fence: starts the barriers of all warps, WARPS * SLOTS. */
BP_DEVICE void warp_pipeline_init(bp_mbarrier *full)
{
  for (int n = 0; n < WARPS * SLOTS; ++n)
    bp_mbarrier_start(&full[n], 1);
}

/* By all threads, behind a barrier after that: issues the first slices. */
BP_DEVICE warp_pipeline warp_pipeline_start(real *slots, const real *factors, int elements,
                                            bp_mbarrier *full)
{
  warp_pipeline p = {
      slots + bp_warp() * SLOTS * SLICE_SLOT, full + bp_warp() * SLOTS, 0, 0, bp_warp(), false};
  for (int n = 0; n < SLOTS_USED; ++n) {
    if (bp_warp() < BP_NC)
      warp_pipeline_issue(&p, factors, (int)blockIdx.x, elements);
    warp_pipeline_advance(&p);
  }
  p.parity = 0;
  return p;
}

/* By the warp, before an element's slices. */
BP_DEVICE void warp_pipeline_element(warp_pipeline *p)
{
  p->of_next = bp_warp() + SLOTS_USED * WARPS >= BP_NC;
}

/* Waits for the next slice of the warp, which is `s`; returns where it is. */
BP_DEVICE real *warp_pipeline_wait(const warp_pipeline *p, warp_slice s)
{
  bp_mbarrier_wait(&p->full[p->slot], p->parity);
  return p->first + p->slot * SLICE_SLOT + slice_offset(s.element, s.k);
}

/* By the warp, when it has read that slice. */
BP_DEVICE void warp_pipeline_refill(warp_pipeline *p, const real *factors, int element, int next,
                                    int elements)
{
  bp_async_fence();
  BP_WARP_BARRIER();
  warp_pipeline_issue(p, factors, p->of_next ? next : element, elements);
  warp_pipeline_advance(p);
}

#endif
