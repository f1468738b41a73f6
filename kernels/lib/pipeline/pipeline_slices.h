/* pipeline_slices.h -- persistent blocks whose warps take the slices of an element in turn. The factors of
 * slices pass through RING rooms in shared memory, each filled again by a bulk copy as soon as a warp has read it. */
#ifndef BP_KERNELS_TENSOR_H
#define BP_KERNELS_TENSOR_H

#include "lib/contract/mma_tile.h"
#include "lib/memory/factor_slices.h"
#include "lib/operator/flux.h"
#include "lib/schedule/tile_scheduler.h"

/* What comes into rooms for an element, in this order: the slices. With MIDDLE_LAST defined the one of the
 * middle is the last, and between it and the others come, in a room each, the halves of the next
 * element's u. */
#ifdef MIDDLE_LAST
enum { ITEMS = BP_NC + 2, U_ITEM = BP_NC - 1 };
#define IS_U(n)           ((n) == U_ITEM || (n) == U_ITEM + 1)
#define HAS_FIRST_U(slot) ((slot) == SLOTS_USED - 3 || (slot) == SLOTS_USED - 2)
#define SLICE_OF(n)       ((n) < BP_NC / 2 ? (n) : (n) < U_ITEM ? (n) + 1 : BP_NC / 2)
#else
enum { ITEMS = BP_NC };
#define IS_U(n)           false
#define HAS_FIRST_U(slot) false
#define SLICE_OF(n)       (n)
#endif

/* A block's items are counted through its elements, and number n comes into room n % ROOMS. Each item of
 * two elements in turn has a barrier of its own: none is used again before all warps are through with the
 * element, lest one takes another phase for its own. */
enum {
  AREA = BP_NC * BP_NC, /* of a slice, in points */
  SLOTS_USED = SLOTS < ITEMS ? SLOTS : ITEMS,
  ITEM_BARRIERS =
      2 * ITEMS + 2 /* the last two for u of the block's first element, where it is an item */
};

/* `dealt`: which element follows one with the first half of the barriers, and one with the other half. */
typedef struct {
  double *slots;
  const double *u, *factors;
  int elements;
  bp_mbarrier *full;
  int *claimed;
} slice_pipeline;

/* n: of its element's items; barriers: the element's first one. */
typedef struct {
  int element, n, slot, barriers, parity;
} pipeline_item;

BP_DEVICE int slot_after(int slot, int items)
{
  slot += items % SLOTS_USED;
  return slot < SLOTS_USED ? slot : slot - SLOTS_USED;
}

/* The element after the slot's. */
BP_DEVICE int *item_following(const slice_pipeline *ring, const pipeline_item *s)
{
  return &ring->claimed[s->barriers != 0];
}

/* Of an element the first: of the block's first one, of the next one. */
BP_DEVICE pipeline_item item_start()
{
  const pipeline_item s = {(int)blockIdx.x, 0, 0, 0, 0};
  return s;
}

#ifdef MIDDLE_LAST
/* Of the element before, whose only items are the halves of the block's first u; they are in the last rooms
 * but one. */
BP_DEVICE pipeline_item item_before_start()
{
  const pipeline_item s = {-1, 0, (2 * SLOTS_USED - 3 - U_ITEM % SLOTS_USED) % SLOTS_USED, 2 * ITEMS - U_ITEM, 0};
  return s;
}
#endif

BP_DEVICE void item_next_element(const slice_pipeline *ring, pipeline_item *s)
{
  s->element = *item_following(ring, s);
  s->parity ^= s->barriers != 0;
  s->barriers = ITEMS - s->barriers;
  s->slot = slot_after(s->slot, ITEMS);
}

/* The element's n-th. */
BP_DEVICE pipeline_item item_at(pipeline_item s, int n)
{
  s.n = n;
  s.slot = (s.slot + n) % SLOTS_USED;
  return s;
}

BP_DEVICE void item_advance(pipeline_item *s, int items)
{
  s->n += items;
  s->slot = slot_after(s->slot, items);
}

#ifdef MIDDLE_LAST
/* By one lane: asks for a half of the element's u, if there is such an element. */
BP_DEVICE void half_issue(double *slot, const double *u, int element, int half, int elements,
                         bp_mbarrier *full)
{
  enum { HALF = NODES / 2 };
  if (element < elements) {
    bp_mbarrier_expect(full, HALF * (int)sizeof(double));
    bulk_load_hinted(slot, u + (size_t)element * NODES + half * HALF, HALF * (int)sizeof(double),
                   evict_first_u(element), full);
  }
}
#endif

/* By one lane, if there is such an element. */
BP_DEVICE void item_issue(const slice_pipeline *ring, const pipeline_item *s, bp_mbarrier *barrier)
{
  double *slot = ring->slots + s->slot * SLICE_SLOT;
  if (s->element < ring->elements) {
    if (!IS_U(s->n))
      slice_prefetch(slot, ring->factors, s->element, SLICE_OF(s->n), barrier);
#ifdef MIDDLE_LAST
    else
      half_issue(slot, ring->u, *item_following(ring, s), s->n - U_ITEM, ring->elements, barrier);
#endif
  }
}

/* By the warp, when the slot's item has been read: asks for the next that comes into its room, which must not
 * be u of an element beyond the next. All lanes arrive: that orders what each has read from the room before
 * what comes into it. */
BP_DEVICE void item_refill(const slice_pipeline *ring, pipeline_item s)
{
  const int *next = item_following(ring, &s);
  const bool is_of_next = s.n + SLOTS_USED >= ITEMS;
  BP_WARP_BARRIER();
  s.n += is_of_next ? SLOTS_USED - ITEMS : SLOTS_USED;
  if (is_of_next)
    s.barriers = s.barriers ? 0 : ITEMS;
  bp_mbarrier *barrier = &ring->full[s.barriers + s.n];
  if (bp_lane() == 0) {
    if (is_of_next)
      s.element = *next;
    item_issue(ring, &s, barrier);
  } else
    bp_mbarrier_arrive(barrier);
}

/* Waits for the slot's item and tells where its room is. */
BP_DEVICE double *item_wait(const slice_pipeline *ring, const pipeline_item *s)
{
  bp_mbarrier_wait(&ring->full[s->barriers + s->n], s->parity);
  return ring->slots + s->slot * SLICE_SLOT;
}

/* The same for a slice, and where that begins. */
BP_DEVICE double *slice_wait(const slice_pipeline *ring, const pipeline_item *s)
{
  return item_wait(ring, s) + slice_offset(s->element, SLICE_OF(s->n));
}

/* By a warp: asks for what comes into a room first. */
BP_DEVICE void item_issue_first(const slice_pipeline *ring, const pipeline_item *s)
{
  bp_mbarrier *barrier = &ring->full[s->barriers + s->n];
  if (bp_lane() == 0)
    item_issue(ring, s, barrier);
  else
    bp_mbarrier_arrive(barrier);
}

/* By all threads, first of all; a barrier of the block has to follow before another warp than the first
 * waits for an item. */
BP_DEVICE void pipeline_init(const slice_pipeline *ring)
{
  if (bp_warp() == 0) {
    for (int n = bp_lane(); n < ITEM_BARRIERS; n += 32)
      bp_mbarrier_start(&ring->full[n], 32);
    bp_mbarrier_fence();
  }
}

#ifdef MIDDLE_LAST
/* By all threads, after pipeline_init: the halves of the block's first u are on their way. */
BP_DEVICE void pipeline_start_u(const slice_pipeline *ring)
{
  if (bp_warp() == 0) {
    if (bp_lane() == 0)
      ring->claimed[1] = (int)blockIdx.x;
    BP_WARP_BARRIER();
    for (int n = U_ITEM; n < U_ITEM + 2; ++n) {
      const pipeline_item slot = item_at(item_before_start(), n);
      item_issue_first(ring, &slot);
    }
  }
}
#endif

/* After pipeline_init: the first slice of each room is on its way. */
BP_DEVICE void pipeline_start(const slice_pipeline *ring)
{
  if (bp_warp() == 0)
    for (int n = 0; n < SLOTS_USED; ++n)
      if (!HAS_FIRST_U(n)) {
        const pipeline_item slot = item_at(item_start(), n);
        item_issue_first(ring, &slot);
      }
}

/* By thread 0, before a barrier of the block: the block's second element, whose number it has taken. */
BP_DEVICE void pipeline_claim_second(const slice_pipeline *ring, int number)
{
  ring->claimed[0] = scheduler_element(number, 1);
}

/* By a thread among the slot's slices: the element whose number it took a while ago comes after the next
 * one. */
BP_DEVICE void item_claim_following(const slice_pipeline *ring, const pipeline_item *s, int number)
{
  ring->claimed[s->barriers == 0] = scheduler_element(number, 1);
}

#endif
