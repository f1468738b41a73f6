/* span.h -- bulk copies of spans that may begin and end at any double.
 *
 * Bulk copies move 16 bytes at multiples of 16, and ask L2 for whole lines only where both sides lie alike
 * in a line of 128 bytes. So a span lies in its room as far from a line's beginning as it does in memory,
 * and a double too many is copied at an odd end, but for the end of the array: that one comes by hand. */
#ifndef BP_KERNELS_SPAN_H
#define BP_KERNELS_SPAN_H

#include "once.h"

/* Room, in doubles, for a span of `count` that begins anywhere in a line. */
#define BP_SPAN(count) (((count) + 31) / 16 * 16)

/* Where the span that begins at index `first` lies in its room. */
BP_DEVICE int span_offset(size_t first)
{
  return (int)(first % 16);
}

/* Bytes of the span that a bulk copy brings, from an array of `total` doubles. */
BP_DEVICE int span_bytes(size_t first, size_t count, size_t total)
{
  const size_t end = first + count < total ? first + count + 1 : total;
  return (int)((end / 2 - first / 2) * 16);
}

/* By one thread, before it expects the bytes: the double that a bulk copy cannot bring. */
BP_DEVICE void span_load_last(double *room, const double *from, size_t first, size_t count,
                              size_t total)
{
  if (first + count == total && total % 2)
    room[span_offset(first) + count - 1] = from[total - 1];
}

/* By the same thread, after it. */
BP_DEVICE void span_load(double *room, const double *from, size_t first, size_t count, size_t total,
                         bool once, bp_mbarrier *full)
{
  once_bulk_load(room + span_offset(first) / 2 * 2, from + first / 2 * 2,
                 span_bytes(first, count, total), once, full);
}

#endif
