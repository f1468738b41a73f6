/* dealt.h -- elements that are dealt out while the kernel runs: a block that is ahead of others gets more of
 * them. Each begins with the element of its own number and knows the next one while it computes, so that data can be
 * asked for. */
#ifndef BP_KERNELS_DEALT_H
#define BP_KERNELS_DEALT_H

#include "gpu.h"

BP_GLOBAL int dealt_numbers;

/* By one thread: a number that no block has had. It comes behind all data that the multiprocessor has asked
 * for, so it is taken long before it is looked at. */
BP_DEVICE int dealt_take()
{
  return bp_fetch_add(&dealt_numbers, 1);
}

/* By that thread, once for each number: which of `elements` it stands for, or one beyond the last. A block
 * takes as many numbers as it computes elements, the first one included, and `more`; the last of all numbers
 * leaves the counter as it was for the next launch. */
BP_DEVICE int dealt_element(int number, int elements, int more)
{
  const int blocks = (int)gridDim.x;
  if (number + 1 == elements + more * blocks)
    bp_fetch_add(&dealt_numbers, -(number + 1));
  return blocks + number;
}

/* By that thread, once for each element that the block computes: tells the one after it, and takes a number
 * for the one after that. */
BP_DEVICE void dealt_next(int *number, int elements, int *element)
{
  *element = dealt_element(*number, elements, 0);
  if (*element < elements)
    *number = dealt_take();
}

#endif
