/* factor_slices.h -- elements that stream through shared memory in parts: u whole, the factors slice by slice
 * (k fixed). The factors lie as ekcji align 2, so that the last slice of an element ends on a multiple
 * of 16 bytes. */
#ifndef BP_KERNELS_SLICES_H
#define BP_KERNELS_SLICES_H

#include "lib/memory/bulk_copy.h"

enum {
  SLICE = BP_COMPONENTS * BP_NC * BP_NC,
  ELEMENT_FACTORS = (SLICE * BP_NC + 1) / 2 * 2,
  SLICE_BYTES =
      (SLICE + 1) / 2 * 16, /* as bulk copies bring it, of an even number of doubles in all */
  SLICE_SLOT = BULK_SLOT(SLICE),
  NODES = BP_NQ * BP_NQ * BP_NQ,
  NODES_SLOT = BULK_SLOT(NODES)
};

BP_DEVICE size_t slice_begin(int element, int k)
{
  return (size_t)element * ELEMENT_FACTORS + k * SLICE;
}

/* Where it lies in its room. */
BP_DEVICE int slice_offset(int element, int k)
{
  return (int)(((unsigned)element * (ELEMENT_FACTORS % 16) + (unsigned)k * (SLICE % 16)) % 16);
}

/* By one thread: asks for a slice. */
BP_DEVICE void slice_prefetch(double *slot, const double *factors, int element, int k,
                          bp_mbarrier *full)
{
  const size_t first = slice_begin(element, k);
  bp_mbarrier_expect(full, SLICE_BYTES);
  bulk_load_hinted(slot + slice_offset(element, k) / 2 * 2, factors + first / 2 * 2, SLICE_BYTES,
                 evict_first_factors(element), full);
}

/* By one thread: asks for u of an element, if there is one. */
BP_DEVICE void nodes_prefetch(double *slot, const double *u, int e, int elements, bp_mbarrier *full)
{
  if (e < elements)
    bulk_prefetch(slot, u, (size_t)e * NODES, NODES, evict_first_u(e), full);
}

/* By all threads, first of all: u of the block's first element is on its way. */
BP_DEVICE void nodes_start(double *slot, const double *u, int elements, bp_mbarrier *full)
{
  if (bp_thread() == 0) {
    bp_mbarrier_start(full, 1);
    bp_mbarrier_fence();
    nodes_prefetch(slot, u, blockIdx.x, elements, full);
  }
  BP_BARRIER();
}

#endif
