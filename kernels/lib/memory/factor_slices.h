/* factor_slices.h -- copies of one slice of factors (k fixed), and of u of an element.
 *
 * The factors lie as ekcji align 2, so that the last slice of an element ends on a multiple of 16 bytes.
 *
 * size: slice_slot = slot(components * nc*nc) -- doubles of a slot for a slice of factors
 * size: nodes_slot = slot(nq*nq*nq) -- doubles of a slot for u of an element */
#ifndef BP_KERNELS_FACTOR_SLICES_H
#define BP_KERNELS_FACTOR_SLICES_H

#include "lib/memory/slot_copy.h"
#include "lib/operator/element.h"

enum {
  SLICE = BP_COMPONENTS * POINTS_2D,
  SLICE_ELEMENT =
      (SLICE * BP_NC + SLOT_UNIT - 1) / SLOT_UNIT * SLOT_UNIT, /* from element to element */
  SLICE_BYTES = (SLICE + SLOT_UNIT - 1) / SLOT_UNIT * 16       /* of a copy */
};

BP_DEVICE size_t slice_begin(int element, int k)
{
  return (size_t)element * SLICE_ELEMENT + k * SLICE;
}

/* Where the slice lies in its slot. */
BP_DEVICE int slice_offset(int element, int k)
{
  return (int)(((unsigned)element * (SLICE_ELEMENT % 16) + (unsigned)k * (SLICE % 16)) % 16);
}

/* By a warp: issues the copy of a slice; the arrival, of SLICE_BYTES, is yet to come. */
BP_DEVICE void slice_issue(real *slot, const real *factors, int element, int k, bp_mbarrier *full)
{
  const size_t first = slice_begin(element, k);
  slot_copy_hinted(slot + slice_offset(element, k) / 2 * 2, factors + first / 2 * 2, SLICE_BYTES,
                   evict_first_factors(element), full);
}

/* By a warp: issues the copy of a slice. */
BP_DEVICE void slice_prefetch(real *slot, const real *factors, int element, int k,
                              bp_mbarrier *full)
{
  slice_issue(slot, factors, element, k, full);
  bp_slot_arrive(full, SLICE_BYTES);
}

/* By a warp: issues the copy of u of element e, if there is one. */
BP_DEVICE void nodes_prefetch(real *slot, const real *u, int e, int elements, bp_mbarrier *full)
{
  if (e < elements)
    slot_prefetch(slot, u, (size_t)e * NODES_3D, NODES_3D, evict_first_u(e), full);
}

/* By all threads, before any waits: starts the barrier and issues u of the block's first element. Ends in
 * a BP_BARRIER. */
BP_DEVICE void nodes_start(real *slot, const real *u, int elements, bp_mbarrier *full)
{
  slots_start(full, 1);
  if (bp_warp() == 0)
    nodes_prefetch(slot, u, blockIdx.x, elements, full);
  BP_BARRIER();
}

#endif
