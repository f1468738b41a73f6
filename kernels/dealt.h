/* dealt.h -- elements that are dealt out while the kernel runs: a block that is ahead of others gets more of
 * them. Each begins with the element of its own number and knows the next one while it computes, so that data can be
 * asked for. */
#ifndef BP_KERNELS_DEALT_H
#define BP_KERNELS_DEALT_H

#include "gpu.h"

BP_GLOBAL int dealt_elements, dealt_blocks_ended;

/* By one thread: an element that no block has had, or one beyond the last. */
BP_DEVICE int dealt_take()
{
  return (int)gridDim.x + bp_fetch_add(&dealt_elements, 1);
}

/* By the same thread when it will take no more. The last block leaves all as it was for the next launch. */
BP_DEVICE void dealt_end()
{
  if (bp_fetch_add(&dealt_blocks_ended, 1) == (int)gridDim.x - 1) {
    bp_fetch_add(&dealt_elements, -bp_fetch_add(&dealt_elements, 0));
    bp_fetch_add(&dealt_blocks_ended, -(int)gridDim.x);
  }
}

#endif
