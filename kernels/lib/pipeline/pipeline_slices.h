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
#define HAS_FIRST_U(room) ((room) == ROOMS - 3 || (room) == ROOMS - 2)
#define SLICE_OF(n)       ((n) < BP_NC / 2 ? (n) : (n) < U_ITEM ? (n) + 1 : BP_NC / 2)
#else
enum { ITEMS = BP_NC };
#define IS_U(n)           false
#define HAS_FIRST_U(room) false
#define SLICE_OF(n)       (n)
#endif

/* A block's items are counted through its elements, and number n comes into room n % ROOMS. Each item of
 * two elements in turn has a barrier of its own: none is used again before all warps are through with the
 * element, lest one takes another phase for its own. */
enum {
  AREA = BP_NC * BP_NC, /* of a slice, in points */
  ROOMS = RING < ITEMS ? RING : ITEMS,
  ITEM_BARRIERS =
      2 * ITEMS + 2 /* the last two for u of the block's first element, where it is an item */
};

/* `dealt`: which element follows one with the first half of the barriers, and one with the other half. */
typedef struct {
  double *rooms;
  const double *u, *factors;
  int elements;
  bp_mbarrier *full;
  int *dealt;
} item_ring;

/* n: of its element's items; barriers: the element's first one. */
typedef struct {
  int element, n, room, barriers, parity;
} item_slot;

BP_DEVICE int room_after(int room, int items)
{
  room += items % ROOMS;
  return room < ROOMS ? room : room - ROOMS;
}

/* The element after the slot's. */
BP_DEVICE int *slot_next(const item_ring *ring, const item_slot *s)
{
  return &ring->dealt[s->barriers != 0];
}

/* Of an element the first: of the block's first one, of the next one. */
BP_DEVICE item_slot slot_start()
{
  const item_slot s = {(int)blockIdx.x, 0, 0, 0, 0};
  return s;
}

#ifdef MIDDLE_LAST
/* Of the element before, whose only items are the halves of the block's first u; they are in the last rooms
 * but one. */
BP_DEVICE item_slot slot_before_start()
{
  const item_slot s = {-1, 0, (2 * ROOMS - 3 - U_ITEM % ROOMS) % ROOMS, 2 * ITEMS - U_ITEM, 0};
  return s;
}
#endif

BP_DEVICE void slot_next_element(const item_ring *ring, item_slot *s)
{
  s->element = *slot_next(ring, s);
  s->parity ^= s->barriers != 0;
  s->barriers = ITEMS - s->barriers;
  s->room = room_after(s->room, ITEMS);
}

/* The element's n-th. */
BP_DEVICE item_slot slot_at(item_slot s, int n)
{
  s.n = n;
  s.room = (s.room + n) % ROOMS;
  return s;
}

BP_DEVICE void slot_advance(item_slot *s, int items)
{
  s->n += items;
  s->room = room_after(s->room, items);
}

#ifdef MIDDLE_LAST
/* By one lane: asks for a half of the element's u, if there is such an element. */
BP_DEVICE void half_load(double *room, const double *u, int element, int half, int elements,
                         bp_mbarrier *full)
{
  enum { HALF = NODES / 2 };
  if (element < elements) {
    bp_mbarrier_expect(full, HALF * (int)sizeof(double));
    once_bulk_load(room, u + (size_t)element * NODES + half * HALF, HALF * (int)sizeof(double),
                   once_u(element), full);
  }
}
#endif

/* By one lane, if there is such an element. */
BP_DEVICE void item_load(const item_ring *ring, const item_slot *s, bp_mbarrier *barrier)
{
  double *room = ring->rooms + s->room * SLICE_ROOM;
  if (s->element < ring->elements) {
    if (!IS_U(s->n))
      slice_load(room, ring->factors, s->element, SLICE_OF(s->n), barrier);
#ifdef MIDDLE_LAST
    else
      half_load(room, ring->u, *slot_next(ring, s), s->n - U_ITEM, ring->elements, barrier);
#endif
  }
}

/* By the warp, when the slot's item has been read: asks for the next that comes into its room, which must not
 * be u of an element beyond the next. All lanes arrive: that orders what each has read from the room before
 * what comes into it. */
BP_DEVICE void item_next(const item_ring *ring, item_slot s)
{
  const int *next = slot_next(ring, &s);
  const bool is_of_next = s.n + ROOMS >= ITEMS;
  BP_WARP_BARRIER();
  s.n += is_of_next ? ROOMS - ITEMS : ROOMS;
  if (is_of_next)
    s.barriers = s.barriers ? 0 : ITEMS;
  bp_mbarrier *barrier = &ring->full[s.barriers + s.n];
  if (bp_lane() == 0) {
    if (is_of_next)
      s.element = *next;
    item_load(ring, &s, barrier);
  } else
    bp_mbarrier_arrive(barrier);
}

/* Waits for the slot's item and tells where its room is. */
BP_DEVICE double *item_wait(const item_ring *ring, const item_slot *s)
{
  bp_mbarrier_wait(&ring->full[s->barriers + s->n], s->parity);
  return ring->rooms + s->room * SLICE_ROOM;
}

/* The same for a slice, and where that begins. */
BP_DEVICE double *slice_wait(const item_ring *ring, const item_slot *s)
{
  return item_wait(ring, s) + slice_offset(s->element, SLICE_OF(s->n));
}

/* By a warp: asks for what comes into a room first. */
BP_DEVICE void item_first(const item_ring *ring, const item_slot *s)
{
  bp_mbarrier *barrier = &ring->full[s->barriers + s->n];
  if (bp_lane() == 0)
    item_load(ring, s, barrier);
  else
    bp_mbarrier_arrive(barrier);
}

/* By all threads, first of all; a barrier of the block has to follow before another warp than the first
 * waits for an item. */
BP_DEVICE void items_barriers(const item_ring *ring)
{
  if (bp_warp() == 0) {
    for (int n = bp_lane(); n < ITEM_BARRIERS; n += 32)
      bp_mbarrier_start(&ring->full[n], 32);
    bp_mbarrier_fence();
  }
}

#ifdef MIDDLE_LAST
/* By all threads, after items_barriers: the halves of the block's first u are on their way. */
BP_DEVICE void items_start_u(const item_ring *ring)
{
  if (bp_warp() == 0) {
    if (bp_lane() == 0)
      ring->dealt[1] = (int)blockIdx.x;
    BP_WARP_BARRIER();
    for (int n = U_ITEM; n < U_ITEM + 2; ++n) {
      const item_slot slot = slot_at(slot_before_start(), n);
      item_first(ring, &slot);
    }
  }
}
#endif

/* After items_barriers: the first slice of each room is on its way. */
BP_DEVICE void items_start(const item_ring *ring)
{
  if (bp_warp() == 0)
    for (int n = 0; n < ROOMS; ++n)
      if (!HAS_FIRST_U(n)) {
        const item_slot slot = slot_at(slot_start(), n);
        item_first(ring, &slot);
      }
}

/* By thread 0, before a barrier of the block: the block's second element, whose number it has taken. */
BP_DEVICE void items_deal(const item_ring *ring, int number)
{
  ring->dealt[0] = dealt_element(number, 1);
}

/* By a thread among the slot's slices: the element whose number it took a while ago comes after the next
 * one. */
BP_DEVICE void slot_deal(const item_ring *ring, const item_slot *s, int number)
{
  ring->dealt[s->barriers == 0] = dealt_element(number, 1);
}

#endif
