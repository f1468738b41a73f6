/* dealt.h -- elements that are dealt out while the kernel runs: a block that is ahead of others gets more of
 * them. Each begins with the element of its own number and knows the next one while it computes, so that data can be
 * asked for. */
#ifndef BP_KERNELS_DEALT_H
#define BP_KERNELS_DEALT_H

#include "gpu.h"

BP_GLOBAL int dealt_elements;

/* By one thread: one of `elements` that no block has had, or one beyond the last. A block takes as many as it
 * computes, the first one included, and `more`; the last of all that are taken leaves all as it was for the next
 * launch. */
BP_DEVICE int dealt_take(int elements, int more)
{
  const int blocks = (int)gridDim.x, before = bp_fetch_add(&dealt_elements, 1);
  if (before + 1 == elements + more * blocks)
    bp_fetch_add(&dealt_elements, -(before + 1));
  return blocks + before;
}

#endif
