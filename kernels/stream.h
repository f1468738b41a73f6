/* stream.h -- persistent blocks that take batches of elements through shared memory: while one batch is
 * computed, bulk copies bring the next ones.
 *
 * Bulk copies move 16 bytes at multiples of 16, and ask L2 for whole lines only where both sides lie alike
 * in a line of 128 bytes. Arrays of doubles may begin a batch anywhere, so a span lies in its room as far
 * from a line's beginning as it does in memory; when it ends at an odd index its last double comes by hand. */
#ifndef BP_KERNELS_STREAM_H
#define BP_KERNELS_STREAM_H

/* Room, in doubles, for a span of `count` that begins anywhere in a line. */
#define BP_SPAN(count) (((count) + 31) / 16 * 16)

/* Where the span that begins at index `first` lies in its room. */
BP_DEVICE int span_offset(size_t first)
{
  return (int)(first % 16);
}

/* Bytes of the span that a bulk copy brings. */
BP_DEVICE unsigned span_bytes(size_t first, size_t count)
{
  return (unsigned)(((first + count) / 2 - first / 2) * 16);
}

/* By one thread, before it expects the bytes: the double that a bulk copy cannot bring. */
BP_DEVICE void span_load_odd(double *room, const double *from, size_t first, size_t count)
{
  const size_t end = first + count;
  if (end % 2)
    room[span_offset(first) + count - 1] = from[end - 1];
}

/* By the same thread, after it. */
BP_DEVICE void span_load(double *room, const double *from, size_t first, size_t count,
                         bp_mbarrier *full)
{
  bp_bulk_load(room + span_offset(first) / 2 * 2, from + first / 2 * 2, span_bytes(first, count),
               full);
}

#endif
