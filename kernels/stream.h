/* stream.h -- persistent blocks that take batches of elements through shared memory: while one batch is
 * computed, bulk copies bring the next ones.
 *
 * Global arrays of doubles may begin a batch at an odd index, and bulk copies move 16 bytes at multiples
 * of 16: a span starts at the even index below, and its last double comes by hand when its end is odd. */
#ifndef BP_KERNELS_STREAM_H
#define BP_KERNELS_STREAM_H

/* Room for `count` doubles that start anywhere, in whole 16 bytes. */
#define BP_SPAN(count) (((count) + 3) / 2 * 2)

/* Where the span's first double lies in its room. */
BP_DEVICE int span_offset(size_t first)
{
  return (int)(first & 1);
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
    room[end - 1 - first / 2 * 2] = from[end - 1];
}

/* By the same thread, after it. */
BP_DEVICE void span_load(double *room, const double *from, size_t first, size_t count, bp_mbarrier *full)
{
  bp_bulk_load_streaming(room, from + first / 2 * 2, span_bytes(first, count), full);
}

#endif
