/* bulk_copy.h -- bulk copies of spans that may begin and end at any double.
 *
 * Bulk copies move 16 bytes at multiples of 16, and ask L2 for whole lines only where both sides lie alike
 * in a line of 128 bytes. So a span lies in its room as far from a line's beginning as it does in memory,
 * and a double too many is copied at an odd end, which may be the one behind the array. */
#ifndef BP_KERNELS_SPAN_H
#define BP_KERNELS_SPAN_H

#include "lib/memory/l2_hint.h"

/* Room, in doubles, for a span of `count` that begins anywhere in a line. */
#define BULK_SLOT(count) (((count) + 31) / 16 * 16)

/* Where the span that begins at index `first` lies in its room. */
BP_DEVICE int bulk_offset(size_t first)
{
  return (int)(first % 16);
}

/* By one thread: the span of `count` that begins at index `first` comes into its room. */
BP_DEVICE void bulk_prefetch(double *slot, const double *from, size_t first, int count, bool evict_first,
                         bp_mbarrier *full)
{
  const int bytes = ((int)(first % 2) + count + 1) / 2 * 16;
  bp_mbarrier_expect(full, bytes);
  bulk_load_hinted(slot + bulk_offset(first) / 2 * 2, from + first / 2 * 2, bytes, evict_first, full);
}

#endif
