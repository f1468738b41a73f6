/* pipeline_batches.h -- persistent blocks that take batches of whole elements through shared memory: while
 * one batch is computed, bulk copies bring the next ones, u and factors each as soon as there is room. */
#ifndef BP_KERNELS_STREAM_H
#define BP_KERNELS_STREAM_H

#include "lib/memory/bulk_copy.h"

/* Doubles that an element's factors are padded to a multiple of. */
#ifndef FACTORS_ALIGN
#define FACTORS_ALIGN 1
#endif

/* The thread that asks for batches: best of a warp that has less to do than others, which all wait for it. */
#ifndef PRODUCER_THREAD
#define PRODUCER_THREAD 0
#endif

enum {
  BATCH = ELEMENTS_PER_BLOCK,
  NODES = BP_NQ * BP_NQ * BP_NQ,
  POINTS = BP_NC * BP_NC * BP_NC,
  FACTORS = (BP_COMPONENTS * POINTS + FACTORS_ALIGN - 1) / FACTORS_ALIGN * FACTORS_ALIGN,
  U_SLOT = BULK_SLOT(BATCH * NODES),
  STAGE = U_SLOT + BULK_SLOT(BATCH * FACTORS)
};

/* A stage in shared memory has room for u of a batch and then for its factors. */
typedef struct {
  bp_mbarrier u_full[STAGES], factors_full[STAGES];
} batch_barriers;

/* By one thread: asks for `each` doubles per element of a batch, if there is such a batch. */
BP_DEVICE void batch_prefetch(double *slot, const double *from, int each, int batch, int elements,
                           bool evict_first, bp_mbarrier *full)
{
  const int first_element = batch * BATCH;
  if (first_element < elements) {
    const size_t first = (size_t)first_element * each;
    bulk_prefetch(slot, from, first, min(BATCH, elements - first_element) * each, evict_first, full);
  }
}

/* The batch that comes into the stage of this one, where blocks take equal shares. */
BP_DEVICE int batch_after(int batch)
{
  return batch + STAGES * (int)gridDim.x;
}

/* By all threads, after a barrier behind the last reading of a stage's u: that of batch `next` may come.
 * Likewise for the factors. */
BP_DEVICE void batch_next_u(double *stage, const double *u, int next, int elements,
                             bp_mbarrier *full)
{
  if (threadIdx.x == PRODUCER_THREAD)
    batch_prefetch(stage, u, NODES, next, elements, evict_first_u(next), full);
}

BP_DEVICE void batch_next_factors(double *stage, const double *factors, int next, int elements,
                                   bp_mbarrier *full)
{
  if (threadIdx.x == PRODUCER_THREAD)
    batch_prefetch(stage + U_SLOT, factors, FACTORS, next, elements, evict_first_factors(next), full);
}

/* By all threads, first of all: u of the block's first batches is on its way. */
BP_DEVICE void batches_start_u(double *stages, const double *u, int elements, batch_barriers *full)
{
  if (threadIdx.x == PRODUCER_THREAD) {
    for (int s = 0; s < STAGES; ++s) {
      bp_mbarrier_start(&full->u_full[s], 1);
      bp_mbarrier_start(&full->factors_full[s], 1);
    }
    bp_mbarrier_fence();
    for (int s = 0; s < STAGES; ++s) {
      const int batch = (int)blockIdx.x + s * (int)gridDim.x;
      batch_prefetch(stages + s * STAGE, u, NODES, batch, elements, evict_first_u(batch), &full->u_full[s]);
    }
  }
  BP_BARRIER();
}

/* After that: so are their factors. */
BP_DEVICE void batches_start_factors(double *stages, const double *factors, int elements,
                                    batch_barriers *full)
{
  if (threadIdx.x == PRODUCER_THREAD)
    for (int s = 0; s < STAGES; ++s) {
      const int batch = (int)blockIdx.x + s * (int)gridDim.x;
      batch_prefetch(stages + s * STAGE + U_SLOT, factors, FACTORS, batch, elements,
                  evict_first_factors(batch), &full->factors_full[s]);
    }
}

#endif
