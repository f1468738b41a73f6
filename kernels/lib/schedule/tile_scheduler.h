/* tile_scheduler.h -- elements that are dealt out while the kernel runs: a block that is ahead of others
 * gets more of them. Each begins with the element of its own number (`ring` with one for each group) and knows the next
 * one while it computes, so that data can be asked for. */
#ifndef BP_KERNELS_DEALT_H
#define BP_KERNELS_DEALT_H

#include "abi/gpu.h"

BP_GLOBAL int scheduler_counter;

/* By one thread: a number that no block has had. It comes behind all data that the multiprocessor has asked
 * for, so it is taken long before it is looked at. A block takes as many as it computes of the `elements` (or
 * batches of them), the first one included, and `more`; the last of all leaves the counter as it was for the
 * next launch.
 *
 * Not an addition: of what the threads of a warp add the compiler makes one sum and deals what comes back out
 * by a shuffle, at once. Where it does not see that it is one thread, its warp so waits for memory here. */
BP_DEVICE int scheduler_claim(int elements, int more)
{
  return bp_fetch_next(&scheduler_counter, elements + more * (int)gridDim.x - 1);
}

/* Which element a number stands for, or one beyond the last, where blocks begin with `first` elements
 * each. */
BP_DEVICE int scheduler_element(int number, int first)
{
  return first * (int)gridDim.x + number;
}

/* By that thread, once for each element that the block computes: tells the one after it, and takes a number
 * for the one after that. */
BP_DEVICE void scheduler_next(int *number, int elements, int *element)
{
  *element = scheduler_element(*number, 1);
  if (*element < elements)
    *number = scheduler_claim(elements, 0);
}

#endif
