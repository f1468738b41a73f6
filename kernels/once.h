/* once.h -- loads of what nothing reads again: with the option `once` a kernel's factors are the first to
 * leave L2, and u and v stay. */
#ifndef BP_KERNELS_ONCE_H
#define BP_KERNELS_ONCE_H

#include "gpu.h"

#ifndef ONCE
#define ONCE 0
#endif

BP_DEVICE double once_load(const double *from)
{
  return ONCE ? bp_load_streaming(from) : bp_load_cached(from);
}

/* By bulk copy; `once` or as usual. */
BP_DEVICE void once_bulk_load(void *to, const void *from, int bytes, bool once, bp_mbarrier *full)
{
  if (once)
    bp_bulk_load_streaming(to, from, bytes, full);
  else
    bp_bulk_load(to, from, bytes, full);
}

#endif
