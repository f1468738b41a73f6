/* pipeline_producer_warp.h -- persistent blocks with one warp that does nothing but ask for data: slices
 * of factors into a ring of rooms in shared memory, u of the next elements into rooms of their own. The other warps compute,
 * in GROUPS that take the block's elements in turn; the warps of a group meet at a barrier of their own
 * and tell the asking warp when a room is free.
 *
 * An element's slices are all read in one phase of its computation. Groups, which are in different phases
 * since slices come element by element, keep data coming meanwhile.
 *
 * Layout of the factors: ekcji align 2. */
#ifndef BP_KERNELS_RING_H
#define BP_KERNELS_RING_H

#include "lib/memory/factor_slices.h"
#include "lib/schedule/tile_scheduler.h"

enum {
  COLUMNS = BP_NC * BP_NC,
  COMPUTING =
      (COLUMNS + 31) / 32 * 32, /* threads of a group, one per column; the asking warp is last */
  RING_ROOMS = GROUPS * NODES_ROOM + RING * SLICE_ROOM
};

/* In shared memory: rooms that are full, rooms that are free, the same for u; whose turn it is to read
 * slices; which element each group's u is of, when that is full, or -1 at the end. */
typedef struct {
  bp_mbarrier full[RING], free[RING], u_full[GROUPS], u_free[GROUPS], turn[GROUPS];
  int element[GROUPS];
} ring_barriers;

/* Which room is next, and how often each has been used. */
typedef struct {
  int room, parity;
} ring_place;

#define RING_BARRIER(group) BP_GROUP_BARRIER(1 + (group), COMPUTING)

BP_DEVICE void ring_advance(ring_place *place)
{
  place->room = place->room + 1 == RING ? 0 : place->room + 1;
  place->parity ^= place->room == 0;
}

/* Past an element's slices. */
BP_DEVICE void ring_skip(ring_place *place)
{
  const int room = place->room + BP_NC % RING;
  place->parity ^= (BP_NC / RING + (room >= RING)) % 2;
  place->room = room < RING ? room : room - RING;
}

/* By all threads, first of all. */
BP_DEVICE void ring_start(ring_barriers *ring)
{
  if (bp_thread() == 0) {
    for (int n = 0; n < RING; ++n) {
      bp_mbarrier_start(&ring->full[n], 1);
      bp_mbarrier_start(&ring->free[n], COMPUTING);
    }
    for (int n = 0; n < GROUPS; ++n) {
      bp_mbarrier_start(&ring->u_full[n], 1);
      bp_mbarrier_start(&ring->u_free[n], COMPUTING);
      bp_mbarrier_start(&ring->turn[n], COMPUTING);
    }
    bp_mbarrier_fence();
  }
  BP_BARRIER();
}

/* By a group, before it reads an element's slices: until the group before it has read its own. Else it
 * would wait for rooms that are more than one round behind, whose phases it could not tell apart.
 * `elements`: how many the group has had, this one included, modulo 2; group 0 has the first turn. */
BP_DEVICE void ring_wait_turn(int group, int elements, ring_barriers *ring)
{
  if (GROUPS > 1)
    bp_mbarrier_wait(&ring->turn[group], elements ^ (group > 0));
}

/* When it has read them; `place` goes past those of the other groups. */
BP_DEVICE void ring_pass_turn(int group, ring_place *place, ring_barriers *ring)
{
  if (GROUPS > 1)
    bp_mbarrier_arrive(&ring->turn[group + 1 < GROUPS ? group + 1 : 0]);
  for (int n = 0; n < GROUPS - 1; ++n)
    ring_skip(place);
}

/* By one lane: u of an element for a group, or the end. */
BP_DEVICE void ring_ask_nodes(double *rooms, const double *u, int group, int e, int elements,
                              ring_barriers *ring)
{
  ring->element[group] = e < elements ? e : -1;
  if (e < elements)
    nodes_request(rooms + group * NODES_ROOM, u, e, elements, &ring->u_full[group]);
  else
    bp_mbarrier_arrive(&ring->u_full[group]);
}

/* The asking warp's whole life, by one lane. u of a group's next element is asked for in the midst of the
 * slices, when that of the present one has long been read. */
BP_DEVICE void ring_ask(double *rooms, const double *u, const double *factors, int elements,
                        ring_barriers *ring)
{
  enum { TURN = RING < BP_NC ? RING : BP_NC - 1 };
  ring_place place = {0, 1};
  int used = 0, group = 0, u_parity = 0, e;
  for (int n = 0; n < GROUPS; ++n)
    ring_ask_nodes(rooms, u, n, (int)(blockIdx.x + n * gridDim.x), elements, ring);
  while (e = ring->element[group], e >= 0) {
    const int number = dealt_take(elements, 0);
    BP_NO_UNROLL
    for (int k = 0; k < BP_NC; ++k) {
      if (k == TURN) {
        bp_mbarrier_wait(&ring->u_free[group], u_parity);
        ring_ask_nodes(rooms, u, group, dealt_element(number, GROUPS), elements, ring);
      }
      if (used == RING)
        bp_mbarrier_wait(&ring->free[place.room], place.parity);
      else
        ++used;
      slice_load(rooms + GROUPS * NODES_ROOM + place.room * SLICE_ROOM, factors, e, k,
                 &ring->full[place.room]);
      ring_advance(&place);
    }
    group = group + 1 < GROUPS ? group + 1 : 0;
    u_parity ^= group == 0;
  }
}

#endif
