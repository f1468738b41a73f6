/* pipeline_batches.h -- persistent blocks that stream batches of whole elements through shared memory,
 * by copies into slots.
 *
 *   one warp, the producer                all threads
 *   issue u of the first batches
 *   issue factors of the first batches    load matrices, prefetch constants
 *
 *                                         wait for u, read it
 *   issue u of a later batch         <--  BP_BARRIER: the u slot is free
 *                                         wait for factors, compute
 *   issue factors of a later batch   <--  slot_read_barrier: the factors slot is free
 *                                         compute, store v
 *
 *   shared memory:  stages x [ u slot | factors slot ],  full[stage] for u, full[stages + stage] for factors
 *
 * size: batch_elements = elements_per_block -- elements of a batch
 * size: batch_factors = element_factors -- doubles from the factors of one element to those of the next
 * size: u_slot = slot(batch_elements * nq*nq*nq) -- doubles of a slot for u of a batch
 * size: batch_slot = u_slot + slot(batch_elements * batch_factors) -- doubles of a batch in shared memory */
#ifndef BP_KERNELS_PIPELINE_BATCHES_H
#define BP_KERNELS_PIPELINE_BATCHES_H

#include "lib/memory/slot_copy.h"
#include "lib/operator/element.h"

enum { ELEMENT_FACTORS = BP_ELEMENT_FACTORS };

typedef struct {
  const real *u, *factors;
  int elements;
  real *slots;       /* stages * BATCH_SLOT, in shared memory */
  bp_mbarrier *full; /* 2 * stages, in shared memory */
  int stages;        /* batches in shared memory at once */
  int producer; /* the warp that issues copies: best one that has less to compute than others */
} batch_pipeline;

/* By the producer: issues `each` doubles per element of a batch, if there is such a batch. */
BP_DEVICE void batch_prefetch(const batch_pipeline *p, real *slot, const real *from, int each,
                              int batch, bool evict_first, bp_mbarrier *full)
{
  const int first_element = batch * BATCH_ELEMENTS;
  if (first_element < p->elements) {
    const size_t first = (size_t)first_element * each;
    slot_prefetch(slot, from, first, min(BATCH_ELEMENTS, p->elements - first_element) * each,
                  evict_first, full);
  }
}

/* By all threads, behind a barrier after the last reading of the stage's u: issues u of batch `next`. A
 * BP_BARRIER serves where what was read is stored again before it, else slot_read_barrier. */
BP_DEVICE void batch_next_u(const batch_pipeline *p, int stage, int next)
{
  if (bp_warp() == p->producer)
    batch_prefetch(p, p->slots + stage * BATCH_SLOT, p->u, NODES_3D, next, evict_first_u(next),
                   &p->full[stage]);
}

/* Likewise the factors. */
BP_DEVICE void batch_next_factors(const batch_pipeline *p, int stage, int next)
{
  if (bp_warp() == p->producer)
    batch_prefetch(p, p->slots + stage * BATCH_SLOT + U_SLOT, p->factors, BATCH_FACTORS, next,
                   evict_first_factors(next), &p->full[p->stages + stage]);
}

/* The batch that comes into the stage of this one, where blocks take equal shares. */
BP_DEVICE int batch_after(const batch_pipeline *p, int batch)
{
  return batch + p->stages * (int)gridDim.x;
}

/* By all threads, first of all: starts the barriers and issues u of the block's first batches. */
BP_DEVICE void batches_start_u(const batch_pipeline *p)
{
  if (bp_warp() == p->producer) {
    if (bp_lane() == 0) {
      for (int s = 0; s < 2 * p->stages; ++s)
        bp_mbarrier_start(&p->full[s], 1);
      bp_mbarrier_fence();
    }
    BP_WARP_BARRIER();
    for (int s = 0; s < p->stages; ++s)
      batch_next_u(p, s, (int)blockIdx.x + s * (int)gridDim.x);
  }
  BP_BARRIER();
}

/* After that: issues their factors. */
BP_DEVICE void batches_start_factors(const batch_pipeline *p)
{
  if (bp_warp() == p->producer)
    for (int s = 0; s < p->stages; ++s)
      batch_next_factors(p, s, (int)blockIdx.x + s * (int)gridDim.x);
}

BP_DEVICE void batch_wait_u(const batch_pipeline *p, int stage, int parity)
{
  bp_mbarrier_wait(&p->full[stage], parity);
}

BP_DEVICE void batch_wait_factors(const batch_pipeline *p, int stage, int parity)
{
  bp_mbarrier_wait(&p->full[p->stages + stage], parity);
}

#endif
