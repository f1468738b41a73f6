/* stagger.h -- blocks that do not begin all at once.
 *
 * Where all blocks of a launch ask for data at the same time, they also compute at the same time, and in a launch
 * of few rounds it stays so: memory rests while they compute. So each begins APART clocks after the one before, and
 * from then on some compute while others wait. */
#ifndef BP_KERNELS_APART_H
#define BP_KERNELS_APART_H

#include "abi/gpu.h"

/* By all threads, first of all: the first `count` blocks of each multiprocessor, as many as fit. More would
 * wait when others have ended and there is room for them. */
BP_DEVICE void stagger_start(int count)
{
  if (STAGGER && (int)blockIdx.x < count * bp_multiprocessors())
    bp_pause((int)blockIdx.x * STAGGER);
}

#endif
