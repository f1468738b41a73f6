/* bulk_copy.h -- bulk copies (TMA) of arrays that begin and end at any double.
 *
 * A bulk copy moves multiples of 16 bytes between addresses that are multiples of 16. It reads whole L2 lines only if
 * both addresses have the same offset in a line of 128 bytes. So an array of doubles lies in its slot of shared memory
 * with the offset that it has in global memory, and one double too many is copied at an odd end. That may be the one
 * behind the array.
 *
 * A header's slot(n) is the length of such a slot in doubles: n, and 15 before and 1 behind it, in whole lines. */
#ifndef BP_KERNELS_BULK_COPY_H
#define BP_KERNELS_BULK_COPY_H

#include "lib/memory/l2_hint.h"

/* Where in its slot the array lies that begins at index `first` of the global one. */
BP_DEVICE int bulk_offset(size_t first)
{
  return (int)(first % 16);
}

/* By all threads, when they have read a slot; behind it one of them issues what comes into the slot next.
 * A bulk copy does not wait for ordinary loads that are under way, whose values stay in registers: the fence
 * does. */
BP_DEVICE void slot_read_barrier()
{
  bp_async_fence();
  BP_BARRIER();
}

/* By one thread: issues the copy of `count` doubles from index `first` on; `full` counts their bytes. */
BP_DEVICE void bulk_prefetch(double *slot, const double *from, size_t first, int count,
                             bool evict_first, bp_mbarrier *full)
{
  const int bytes = ((int)(first % 2) + count + 1) / 2 * 16;
  bp_mbarrier_expect(full, bytes);
  bulk_load_hinted(slot + bulk_offset(first) / 2 * 2, from + first / 2 * 2, bytes, evict_first,
                   full);
}

#endif
