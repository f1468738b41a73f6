/* pipeline_producer_warp.h -- persistent blocks with one producer warp; the other warps are consumers.
 *
 *   producer warp                              consumer group g (takes the block's elements in turn with the others)
 *   claim the next element                      wait u_full[g], read u
 *   wait u_free[g], issue u of the next one <-- arrive u_free[g]
 *                                               contractions; barrier of the group: GROUP_BARRIER
 *                                               wait turn[g]: the group before has read its slices
 *   wait free[slot]                         <-- wait full[slot], read the slice, arrive free[slot]
 *   issue the next slice into the slot          ...
 *                                               arrive turn[g + 1]
 *   shared memory:  u slot per group | ring of slots for slices of factors
 *
 * A group reads all slices of an element in one phase of its computation. Groups are in different phases, since slices
 * come element by element, so copies go on meanwhile. Its options: slots, consumer_groups.
 *
 * size: group_threads = (nc*nc + 31) / 32 * 32 -- of a consumer group: one per column; the producer warp is last */
#ifndef BP_KERNELS_PIPELINE_PRODUCER_WARP_H
#define BP_KERNELS_PIPELINE_PRODUCER_WARP_H

#include "lib/memory/factor_slices.h"
#include "lib/schedule/tile_scheduler.h"

enum { PRODUCER_SLOTS = CONSUMER_GROUPS * NODES_SLOT + SLOTS * SLICE_SLOT };

/* In shared memory: slots that are full and slots that are free, the same for u; whose turn it is
 * to read slices; the element of which each group has u when that is full, or -1 at the end. */
typedef struct {
  bp_mbarrier full[SLOTS], free[SLOTS], u_full[CONSUMER_GROUPS], u_free[CONSUMER_GROUPS],
      turn[CONSUMER_GROUPS];
  int element[CONSUMER_GROUPS];
} producer_barriers;

/* Which slot is next, and the parity of its phase. */
typedef struct {
  int slot, parity;
} slot_cursor;

#define GROUP_BARRIER(group) BP_GROUP_BARRIER(1 + (group), GROUP_THREADS)

BP_DEVICE void slot_advance(slot_cursor *place)
{
  place->slot = place->slot + 1 == SLOTS ? 0 : place->slot + 1;
  place->parity ^= place->slot == 0;
}

/* Past an element's slices. */
BP_DEVICE void slot_skip(slot_cursor *place)
{
  const int slot = place->slot + BP_NC % SLOTS;
  place->parity ^= (BP_NC / SLOTS + (slot >= SLOTS)) % 2;
  place->slot = slot < SLOTS ? slot : slot - SLOTS;
}

/* By all threads, first of all. */
BP_DEVICE void producer_init(producer_barriers *ring)
{
  if (bp_thread() == 0) {
    for (int n = 0; n < SLOTS; ++n) {
      bp_mbarrier_start(&ring->full[n], 1);
      bp_mbarrier_start(&ring->free[n], GROUP_THREADS);
    }
    for (int n = 0; n < CONSUMER_GROUPS; ++n) {
      bp_mbarrier_start(&ring->u_full[n], 1);
      bp_mbarrier_start(&ring->u_free[n], GROUP_THREADS);
      bp_mbarrier_start(&ring->turn[n], GROUP_THREADS);
    }
    bp_mbarrier_fence();
  }
  BP_BARRIER();
}

/* By a group, before it reads the slices of an element: waits until the group before has read its
 * own. Otherwise the group would wait for slots more than one round ahead, whose phases it could
 * not tell from earlier ones. `elements`: how many the group has had, this one included, modulo 2;
 * group 0 has the first turn. */
BP_DEVICE void group_wait_turn(int group, int elements, producer_barriers *ring)
{
  if (CONSUMER_GROUPS > 1)
    bp_mbarrier_wait(&ring->turn[group], elements ^ (group > 0));
}

/* When it has read them; `place` goes past those of the other groups. */
BP_DEVICE void group_pass_turn(int group, slot_cursor *place, producer_barriers *ring)
{
  if (CONSUMER_GROUPS > 1)
    bp_mbarrier_arrive(&ring->turn[group + 1 < CONSUMER_GROUPS ? group + 1 : 0]);
  for (int n = 0; n < CONSUMER_GROUPS - 1; ++n)
    slot_skip(place);
}

/* By the producer warp: u of an element for a group, or the end. */
BP_DEVICE void producer_issue_u(real *slots, const real *u, int group, int e, int elements,
                                producer_barriers *ring)
{
  BP_WARP_BARRIER(); /* all lanes have read which element was the last one */
  if (bp_lane() == 0)
    ring->element[group] = e < elements ? e : -1;
  BP_WARP_BARRIER();
  if (e < elements)
    nodes_prefetch(slots + group * NODES_SLOT, u, e, elements, &ring->u_full[group]);
  else if (bp_lane() == 0)
    bp_mbarrier_arrive(&ring->u_full[group]);
}

/* By the producer warp, which does nothing else. It issues u of a group's next element
 * in the midst of the slices, when the present u has long been read. */
BP_DEVICE void producer_run(real *slots, const real *u, const real *factors, int elements,
                            producer_barriers *ring)
{
  enum { ISSUE_U_AT = SLOTS < BP_NC ? SLOTS : BP_NC - 1 };
  slot_cursor place = {0, 1};
  int used = 0, group = 0, u_parity = 0, e;
  for (int n = 0; n < CONSUMER_GROUPS; ++n)
    producer_issue_u(slots, u, n, (int)(blockIdx.x + n * gridDim.x), elements, ring);
  while (e = ring->element[group], e >= 0) {
    const int number = bp_shuffle(bp_lane() == 0 ? scheduler_claim(elements, 0) : 0, 0);
    BP_NO_UNROLL
    for (int k = 0; k < BP_NC; ++k) {
      if (k == ISSUE_U_AT) {
        bp_mbarrier_wait(&ring->u_free[group], u_parity);
        producer_issue_u(slots, u, group, scheduler_element(number, CONSUMER_GROUPS), elements,
                         ring);
      }
      if (used == SLOTS) {
        bp_mbarrier_wait(&ring->free[place.slot], place.parity);
        BP_WARP_BARRIER(); /* a lane that is late would miss the phase when the slot is used again */
      } else {
        ++used;
      }
      slice_prefetch(slots + CONSUMER_GROUPS * NODES_SLOT + place.slot * SLICE_SLOT, factors, e, k,
                     &ring->full[place.slot]);
      slot_advance(&place);
    }
    group = group + 1 < CONSUMER_GROUPS ? group + 1 : 0;
    u_parity ^= group == 0;
  }
}

#endif
