/* ring.h -- persistent blocks with one warp that does nothing but ask for data: slices of factors into a
 * ring of rooms in shared memory, u of the next element into a room of its own. The other warps compute,
 * an element at a time; they meet at a barrier of their own and tell the asking warp when a room is
 * free.
 *
 * Layout of the factors: ekcji align 2. */
#ifndef BP_KERNELS_RING_H
#define BP_KERNELS_RING_H

#include "slices.h"

enum {
  COLUMNS = BP_NC * BP_NC,
  COMPUTING = (COLUMNS + 31) / 32 * 32, /* threads, one per column; the asking warp is next */
  RING_ROOMS = NODES_ROOM + RING * SLICE_ROOM
};

/* In shared memory: rooms that are full, rooms that are free, the same for u. */
typedef struct {
  bp_mbarrier full[RING], free[RING], u_full, u_free;
} ring_barriers;

/* Which room is next, and how often each has been used. */
typedef struct {
  int room, parity;
} ring_place;

#define RING_BARRIER() BP_GROUP_BARRIER(1, COMPUTING)

BP_DEVICE void ring_advance(ring_place *place)
{
  place->room = place->room + 1 == RING ? 0 : place->room + 1;
  place->parity ^= place->room == 0;
}

/* By all threads, first of all. */
BP_DEVICE void ring_start(ring_barriers *ring)
{
  if (bp_thread() == 0) {
    for (int n = 0; n < RING; ++n) {
      bp_mbarrier_start(&ring->full[n], 1);
      bp_mbarrier_start(&ring->free[n], COMPUTING);
    }
    bp_mbarrier_start(&ring->u_full, 1);
    bp_mbarrier_start(&ring->u_free, COMPUTING);
    bp_mbarrier_fence();
  }
  BP_BARRIER();
}

/* The asking warp's whole life, by one lane. u of the next element is asked for in the midst of the
 * slices, when that of the present one has long been read. */
BP_DEVICE void ring_ask(double *rooms, const double *u, const double *factors, int elements,
                        ring_barriers *ring)
{
  enum { TURN = RING < BP_NC ? RING : BP_NC - 1 };
  ring_place place = {0, 1};
  int used = 0, u_parity = 0;
  nodes_request(rooms, u, blockIdx.x, elements, &ring->u_full);
  for (int e = blockIdx.x; e < elements; e += gridDim.x)
    for (int k = 0; k < BP_NC; ++k) {
      if (k == TURN && e + (int)gridDim.x < elements) {
        bp_mbarrier_wait(&ring->u_free, u_parity);
        u_parity ^= 1;
        nodes_request(rooms, u, e + (int)gridDim.x, elements, &ring->u_full);
      }
      if (used == RING)
        bp_mbarrier_wait(&ring->free[place.room], place.parity);
      else
        ++used;
      slice_load(rooms + NODES_ROOM + place.room * SLICE_ROOM, factors, e, k, elements,
                 &ring->full[place.room]);
      ring_advance(&place);
    }
}

#endif
