/* tile_scheduler.h -- dynamic scheduling of elements over persistent blocks, by a counter in global memory.
 *
 * Block b begins with element b. Then each block claims the next element while it computes the present one, so that it
 * can prefetch its data. A block that is ahead of others so gets more elements. With `first` elements per block at the
 * start, block b begins with b, b + gridDim.x, and so on.
 *
 *   number = scheduler_claim(elements, 0);         an atomic: takes as long as a load, so look at it late
 *   next = scheduler_element(number, 1);           the element, or one beyond the last
 */
#ifndef BP_KERNELS_TILE_SCHEDULER_H
#define BP_KERNELS_TILE_SCHEDULER_H

#include "abi/gpu.h"

BP_GLOBAL int scheduler_counter;

/* By one thread: a number that no other block gets. Over the launch each block claims one number per
 * element that it computes, the first one included, and `more`: 1 where it claims an element beyond the
 * next. So the counter knows the last claim and goes back to 0 by it, for the next launch.
 *
 * This is not an atomic addition: the compiler would merge the additions of a warp into one and pass the
 * results on by a shuffle, at once. Where it does not see that one thread claims, the warp would wait for
 * memory here. */
BP_DEVICE int scheduler_claim(int elements, int more)
{
  return bp_fetch_next(&scheduler_counter, elements + more * (int)gridDim.x - 1);
}

BP_DEVICE int scheduler_element(int number, int first)
{
  return first * (int)gridDim.x + number;
}

/* By the same thread, once for each element that the block computes: *element becomes the one after it,
 * and *number is claimed for the one after that. */
BP_DEVICE void scheduler_next(int *number, int elements, int *element)
{
  *element = scheduler_element(*number, 1);
  if (*element < elements)
    *number = scheduler_claim(elements, 0);
}

#endif
