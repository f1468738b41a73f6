/* pipeline_slices.h -- persistent blocks whose warps share the slices of an element: warp w computes
 * slices w, w + warps, and so on. Slices of factors stream through a ring of slots in shared
 * memory.
 *
 *   every warp is consumer and producer:
 *     item_wait     until the item is in its slot           full[item], parity of the element
 *     compute       the slice
 *     item_refill   all 32 lanes arrive: the slot is free
 *                   the warp issues the item that comes into the slot next, of this element or of the next one
 *
 *   slots:  [ item 0 ][ item 1 ] ... [ item slots-1 ]  <- the n-th item of the block, counted over all its
 *                                                         elements, is in slot n % slots
 *   boundaries of the elements: BP_BARRIER, all warps contract along t (u of the next element, v of the last one)
 *
 * An item is what comes into a slot. Items of an element are its slices in order. With middle_last the middle slice
 * comes last, and before it come, in a slot each, the two halves of u of the next element.
 *
 * Barriers: one per item of an element, for two elements alternately. So no barrier is used again before all warps are
 * through with the element; otherwise a slow warp could mistake a later phase for its own. Two more serve u of the
 * block's first element, where u is an item.
 *
 * A kernel's header declares the size slots_used: how many slots there are, no more than items. */
#ifndef BP_KERNELS_PIPELINE_SLICES_H
#define BP_KERNELS_PIPELINE_SLICES_H

#include "lib/memory/factor_slices.h"
#include "lib/schedule/tile_scheduler.h"

#define SLICE_ITEMS(middle_last)             (BP_NC + ((middle_last) ? 2 : 0))
#define SLICE_PIPELINE_BARRIERS(middle_last) (2 * SLICE_ITEMS(middle_last) + 2)

enum { ITEM_OF_U = BP_NC - 1 }; /* the first half, with middle_last */

typedef struct {
  real *slots;
  const real *u, *factors;
  int elements;
  bp_mbarrier *full; /* SLICE_PIPELINE_BARRIERS */
  int *claimed; /* [2]: the element that follows one with the first half of barriers, the other */
  bool middle_last;
  int u_length; /* doubles of an element in u, with middle_last: a multiple of 4 */
} slice_pipeline;

/* Item n of an element. `barriers`, 0 or the number of items: which half of the barriers is the element's;
 * the parity changes with every second element. */
typedef struct {
  int element, n, slot, barriers, parity;
} pipeline_item;

BP_DEVICE bool item_is_u(const slice_pipeline *p, int n)
{
  return p->middle_last && (n == ITEM_OF_U || n == ITEM_OF_U + 1);
}

/* The slice that item n is. */
BP_DEVICE int item_slice(const slice_pipeline *p, int n)
{
  return !p->middle_last || n < BP_NC / 2 ? n : n < ITEM_OF_U ? n + 1 : BP_NC / 2;
}

BP_DEVICE int slot_after(const slice_pipeline *p, int slot, int items)
{
  slot += items % SLOTS_USED;
  return slot < SLOTS_USED ? slot : slot - SLOTS_USED;
}

/* ---- which item ---- */

/* Where the element stands that the block computes after the item's. */
BP_DEVICE int *item_following(const slice_pipeline *p, const pipeline_item *i)
{
  return &p->claimed[i->barriers != 0];
}

/* The first item of the block's first element. */
BP_DEVICE pipeline_item item_start()
{
  const pipeline_item i = {(int)blockIdx.x, 0, 0, 0, 0};
  return i;
}

/* With middle_last: of the element before, whose only items are the halves of the block's first u. They
 * are in the last slots but one. */
BP_DEVICE pipeline_item item_before_start(const slice_pipeline *p)
{
  const int slots = SLOTS_USED;
  const pipeline_item i = {-1, 0, (2 * slots - 3 - ITEM_OF_U % slots) % slots,
                           2 * SLICE_ITEMS(true) - ITEM_OF_U, 0};
  return i;
}

BP_DEVICE void item_next_element(const slice_pipeline *p, pipeline_item *i)
{
  const int items = SLICE_ITEMS(p->middle_last);
  i->element = *item_following(p, i);
  i->parity ^= i->barriers != 0;
  i->barriers = items - i->barriers;
  i->slot = slot_after(p, i->slot, items);
}

/* Item n of the element whose first one is given. */
BP_DEVICE pipeline_item item_at(const slice_pipeline *p, pipeline_item i, int n)
{
  i.n = n;
  i.slot = (i.slot + n) % SLOTS_USED;
  return i;
}

BP_DEVICE void item_advance(const slice_pipeline *p, pipeline_item *i, int items)
{
  i->n += items;
  i->slot = slot_after(p, i->slot, items);
}

/* ---- producing ---- */

/* Where a half of the element's u lies in its slot. */
BP_DEVICE int half_offset(const slice_pipeline *p, int element, int half)
{
  return slot_offset((size_t)element * p->u_length + half * (p->u_length / 2));
}

/* By the warp: issues it, if there is such an element. All lanes arrive. */
BP_DEVICE void half_issue(const slice_pipeline *p, real *slot, int element, int half,
                          bp_mbarrier *full)
{
  const size_t first = (size_t)element * p->u_length + half * (p->u_length / 2);
  if (element < p->elements) {
    slot_issue(slot, p->u, first, p->u_length / 2, evict_first_u(element), full);
    bp_slot_arrive_lanes(full, slot_bytes(first, p->u_length / 2));
  }
}

/* By the warp: issues the item, if there is such an element; all lanes arrive, which orders what they
 * have read before the copy. Beyond the last element nobody arrives, and nobody waits. */
BP_DEVICE void item_issue(const slice_pipeline *p, const pipeline_item *i)
{
  bp_mbarrier *const full = &p->full[i->barriers + i->n];
  real *slot = p->slots + i->slot * SLICE_SLOT;
  if (i->element < p->elements) {
    if (!item_is_u(p, i->n)) {
      slice_issue(slot, p->factors, i->element, item_slice(p, i->n), full);
      bp_slot_arrive_lanes(full, SLICE_BYTES);
    } else {
      half_issue(p, slot, *item_following(p, i), i->n - ITEM_OF_U, full);
    }
  }
}

/* By the warp that has read the item: issues the next item of its slot, which must not be u of an
 * element beyond the next. */
BP_DEVICE void item_refill(const slice_pipeline *p, pipeline_item i)
{
  const int items = SLICE_ITEMS(p->middle_last), slots = SLOTS_USED;
  const int *next = item_following(p, &i);
  const bool is_of_next = i.n + slots >= items;
  BP_WARP_BARRIER();
  i.n += is_of_next ? slots - items : slots;
  if (is_of_next)
    i.barriers = i.barriers ? 0 : items;
  if (is_of_next)
    i.element = *next;
  item_issue(p, &i);
}

/* ---- consuming ---- */

/* Waits for the item; returns its slot. */
BP_DEVICE real *item_wait(const slice_pipeline *p, const pipeline_item *i)
{
  bp_mbarrier_wait(&p->full[i->barriers + i->n], i->parity);
  return p->slots + i->slot * SLICE_SLOT;
}

/* The same for a slice; returns where it begins. */
BP_DEVICE real *slice_wait(const slice_pipeline *p, const pipeline_item *i)
{
  return item_wait(p, i) + slice_offset(i->element, item_slice(p, i->n));
}

/* ---- the beginning, in this order; a BP_BARRIER, such as that of nodes_start, has to follow
 * pipeline_init before a warp other than the first waits for an item ---- */

/* Called by all threads; the first warp acts. */
BP_DEVICE void pipeline_init(const slice_pipeline *p)
{
  if (bp_warp() == 0) {
    for (int n = bp_lane(); n < SLICE_PIPELINE_BARRIERS(p->middle_last); n += 32)
      bp_mbarrier_start(&p->full[n], 32);
    bp_mbarrier_fence();
  }
}

/* Called by all threads, with middle_last; the first warp issues the halves of the block's first u. */
BP_DEVICE void pipeline_start_u(const slice_pipeline *p)
{
  if (bp_warp() == 0) {
    if (bp_lane() == 0)
      p->claimed[1] = (int)blockIdx.x;
    BP_WARP_BARRIER();
    for (int n = ITEM_OF_U; n < ITEM_OF_U + 2; ++n) {
      const pipeline_item i = item_at(p, item_before_start(p), n);
      item_issue(p, &i);
    }
  }
}

/* Called by all threads; the first warp issues the first slice of each slot, but for the two that have u
 * (item_before_start). */
BP_DEVICE void pipeline_start(const slice_pipeline *p)
{
  if (bp_warp() == 0)
    for (int n = 0; n < SLOTS_USED; ++n)
      if (!(p->middle_last && (n == SLOTS_USED - 3 || n == SLOTS_USED - 2))) {
        const pipeline_item i = item_at(p, item_start(), n);
        item_issue(p, &i);
      }
}

/* By the thread that claims, before a BP_BARRIER: the block's second element. */
BP_DEVICE void pipeline_claim_second(const slice_pipeline *p, int element)
{
  p->claimed[0] = element;
}

/* By that thread, among the slices of an element: writes down the element that follows the next one.
 * Others read it after the next barrier. */
BP_DEVICE void item_claim_following(const slice_pipeline *p, const pipeline_item *i, int element)
{
  p->claimed[i->barriers == 0] = element;
}

#endif
