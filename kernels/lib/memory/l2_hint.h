/* l2_hint.h -- what leaves L2 first. An application reads a factor once; the next one finds what is still in
 * L2. Of data that do not fit there, what has not been used for longest leaves, which is just what is
 * needed next. So with the option `once` a part of the factors leaves first and the rest stays: so many
 * sixteenths, and beyond 16, when all factors do, so many of u. Which ones goes by the number of the
 * element, batch or block, in all applications. */
#ifndef BP_KERNELS_ONCE_H
#define BP_KERNELS_ONCE_H

#include "abi/gpu.h"

#ifndef EVICT_FIRST
#define EVICT_FIRST 0
#endif

enum {
  EVICT_FIRST_FACTORS = EVICT_FIRST < 16 ? EVICT_FIRST : 16, /* sixteenths */
  EVICT_FIRST_U = EVICT_FIRST - EVICT_FIRST_FACTORS
};

/* Whether u, or the factors, of a number leave first. */
BP_DEVICE bool evict_first_part(int number, int sixteenths)
{
  return sixteenths > 0 && (sixteenths == 16 || number % 16 < sixteenths);
}

BP_DEVICE bool evict_first_u(int number)
{
  return evict_first_part(number, EVICT_FIRST_U);
}

BP_DEVICE bool evict_first_factors(int number)
{
  return evict_first_part(number, EVICT_FIRST_FACTORS);
}

/* By bulk copy; `once`: it leaves first. */
BP_DEVICE void bulk_load_hinted(void *to, const void *from, int bytes, bool evict_first, bp_mbarrier *full)
{
  if (evict_first)
    bp_bulk_load_streaming(to, from, bytes, full);
  else
    bp_bulk_load(to, from, bytes, full);
}

#endif
