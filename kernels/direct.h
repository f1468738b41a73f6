/* direct.h -- blocks that take a batch of elements each, and ask for all of their data at once. */
#ifndef BP_KERNELS_DIRECT_H
#define BP_KERNELS_DIRECT_H

#include "once.h"

enum {
  BATCH = ELEMENTS_PER_BLOCK,
  NODES = BP_NQ * BP_NQ * BP_NQ,
  POINTS = BP_NC * BP_NC * BP_NC,
  THREADS = (BATCH * BP_NC * BP_NC + 31) / 32 * 32 /* a pencil each, in whole warps */
};

#endif
