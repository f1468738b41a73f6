/* l2_hint.h -- L2 eviction priority: which loads are marked evict-first.
 *
 * A factor is read once per application. The next application finds what is still in L2. If the data exceed L2, the
 * least recently used line is evicted, and that is the line which is needed next. So a part of the data is marked
 * evict-first and the rest stays.
 *
 * The option evict_first counts sixteenths: 0..16 of the factors, and beyond 16 all factors and 1..16 of u. The number
 * of the element, batch or block decides which ones, in the same way in all applications. A variant without the option
 * marks nothing.
 *
 * size: evict_first = 0 -- as the option */
#ifndef BP_KERNELS_L2_HINT_H
#define BP_KERNELS_L2_HINT_H

#include "abi/gpu.h"

enum {
  EVICT_FIRST_FACTORS = EVICT_FIRST < 16 ? EVICT_FIRST : 16, /* sixteenths */
  EVICT_FIRST_U = EVICT_FIRST - EVICT_FIRST_FACTORS
};

BP_DEVICE bool evict_first_part(int number, int sixteenths)
{
  return sixteenths > 0 && (sixteenths == 16 || number % 16 < sixteenths);
}

/* Whether u, or the factors, of element, batch or block `number` are marked. */
BP_DEVICE bool evict_first_u(int number)
{
  return evict_first_part(number, EVICT_FIRST_U);
}

BP_DEVICE bool evict_first_factors(int number)
{
  return evict_first_part(number, EVICT_FIRST_FACTORS);
}

/* By a warp: a copy into a slot, marked or not. */
BP_DEVICE void slot_copy_hinted(void *to, const void *from, int bytes, bool evict_first,
                                bp_mbarrier *full)
{
  if (evict_first)
    bp_slot_copy_streaming(to, from, bytes, full);
  else
    bp_slot_copy(to, from, bytes, full);
}

#endif
