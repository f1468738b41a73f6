/* stagger.h -- staggered start: the blocks of a launch do not begin all at once.
 *
 * If all blocks issue their loads at the same time, they also compute at the same time. In a launch of few waves it
 * stays so, and memory idles while they compute. So block n begins n * clocks after block 0, and from then on some
 * compute while others wait. */
#ifndef BP_KERNELS_STAGGER_H
#define BP_KERNELS_STAGGER_H

#include "abi/gpu.h"

/* By all threads, first of all. blocks: how many of each multiprocessor's blocks wait, as many as fit
 * at once. Later ones begin when others have ended, which staggers them anyway. */
BP_DEVICE void stagger_start(int clocks, int blocks)
{
  if (clocks && (int)blockIdx.x < blocks * bp_multiprocessors())
    bp_pause((int)blockIdx.x * clocks);
}

#endif
