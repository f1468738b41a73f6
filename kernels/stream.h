/* stream.h -- persistent blocks that take batches of elements through shared memory: while one batch is
 * computed, bulk copies bring the next ones.
 *
 * Bulk copies move 16 bytes at multiples of 16, and ask L2 for whole lines only where both sides lie alike
 * in a line of 128 bytes. Arrays of doubles may begin a batch anywhere, so a span lies in its room as far
 * from a line's beginning as it does in memory; when it ends at an odd index its last double comes by hand. */
#ifndef BP_KERNELS_STREAM_H
#define BP_KERNELS_STREAM_H

#include "gpu.h"

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

/* ---- batches of whole elements: u and factors side by side in a stage ---- */

enum {
  BATCH = ELEMENTS_PER_BLOCK,
  NODES = BP_NQ * BP_NQ * BP_NQ,
  POINTS = BP_NC * BP_NC * BP_NC,
  FACTORS = BP_COMPONENTS * POINTS,
  U_ROOM = BP_SPAN(BATCH * NODES),
  STAGE = U_ROOM + BP_SPAN(BATCH * FACTORS)
};

/* By one thread: asks for a batch. */
BP_DEVICE void load_batch(double *stage, const double *u, const double *factors, int batch,
                          int elements, bp_mbarrier *full)
{
  const size_t first = (size_t)batch * BATCH;
  const size_t count = min(BATCH, elements - batch * BATCH);
  span_load_odd(stage, u, first * NODES, count * NODES);
  span_load_odd(stage + U_ROOM, factors, first * FACTORS, count * FACTORS);
  bp_mbarrier_expect(full, span_bytes(first * NODES, count * NODES) +
                               span_bytes(first * FACTORS, count * FACTORS));
  span_load(stage, u, first * NODES, count * NODES, full);
  span_load(stage + U_ROOM, factors, first * FACTORS, count * FACTORS, full);
}

/* By all threads, first of all: the block's first batches are on their way. */
BP_DEVICE void start_stream(double *stages, const double *u, const double *factors, int batches,
                            int elements, bp_mbarrier *full)
{
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s)
      bp_mbarrier_start(&full[s], 1);
    bp_mbarrier_fence();
  }
  BP_BARRIER();
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES && blockIdx.x + s * gridDim.x < batches; ++s)
      load_batch(stages + s * STAGE, u, factors, blockIdx.x + s * gridDim.x, elements, &full[s]);
}

#endif
