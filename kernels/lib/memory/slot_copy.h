/* slot_copy.h -- copies into slots of shared memory, of arrays that begin and end at any item.
 *
 * A warp issues them and arrives at the mbarrier of the slot, once, when it has issued all that the slot gets in a
 * phase. The phase ends when they have come. So the mbarrier begins with 1 arrival, whoever copies: one lane by a bulk
 * copy, all lanes 16 bytes each by asynchronous copies, or all of them by loads and stores (abi/gpu.h).
 *
 * A copy moves multiples of 16 bytes between addresses that are multiples of 16. It reads whole L2 lines only if
 * both addresses have the same offset in a line of 128 bytes. So an array lies in its slot of shared memory with the
 * offset that it has in global memory, and what its last 16 bytes have behind it is copied, too.
 *
 * A header's slot(n) is the length of such a slot in reals: n, those of a line but one before it, those of 16 bytes
 * but one behind it, in whole lines. */
#ifndef BP_KERNELS_SLOT_COPY_H
#define BP_KERNELS_SLOT_COPY_H

#include "lib/memory/l2_hint.h"

enum {
  SLOT_LINE = 128 / sizeof(real),
  SLOT_UNIT = 16 / sizeof(real) /* of a copy */
};

/* Where in its slot the array lies that begins at index `first` of the global one. */
BP_DEVICE int slot_offset(size_t first)
{
  return (int)(first % SLOT_LINE);
}

/* By all threads, when they have read a slot; behind it a warp issues what comes into the slot next.
 * A bulk copy does not wait for ordinary loads that are under way, whose values stay in registers: the fence
 * does. */
BP_DEVICE void slot_read_barrier()
{
  bp_async_fence();
  BP_BARRIER();
}

/* By all threads: starts the mbarriers of slots. The first warp may issue; a BP_BARRIER has to follow before
 * others wait. */
BP_DEVICE void slots_start(bp_mbarrier *full, int count)
{
  if (bp_thread() == 0) {
    for (int n = 0; n < count; ++n)
      bp_mbarrier_start(&full[n], 1);
    bp_mbarrier_fence();
  }
  if (bp_warp() == 0)
    BP_WARP_BARRIER();
}

/* How many bytes are copied of `count` reals from index `first` on. */
BP_DEVICE int slot_bytes(size_t first, int count)
{
  return ((int)(first % SLOT_UNIT) + count + SLOT_UNIT - 1) / SLOT_UNIT * 16;
}

/* By a warp: issues the copy of `count` reals from index `first` on; the arrival is yet to come. */
BP_DEVICE void slot_issue(real *slot, const real *from, size_t first, int count, bool evict_first,
                          bp_mbarrier *full)
{
  slot_copy_hinted(slot + slot_offset(first) / SLOT_UNIT * SLOT_UNIT,
                   from + first / SLOT_UNIT * SLOT_UNIT, slot_bytes(first, count), evict_first,
                   full);
}

/* The same, alone in its phase. */
BP_DEVICE void slot_prefetch(real *slot, const real *from, size_t first, int count,
                             bool evict_first, bp_mbarrier *full)
{
  slot_issue(slot, from, first, count, evict_first, full);
  bp_slot_arrive(full, slot_bytes(first, count));
}

/* By a warp, behind a barrier after bp_async_fence: whole 16 bytes of reals out of a slot, as bulk copies,
 * both sides on multiples of 16 bytes. */
BP_DEVICE void slot_store(real *to, const real *from, int count)
{
  const int each = BP_HAS_BULK ? count : SLOT_UNIT;
  for (int n = bp_lane() * each; n < count; n += 32 * each)
    bp_bulk_store(to + n, from + n, (int)sizeof(real) * each);
  bp_bulk_commit();
}

#endif
