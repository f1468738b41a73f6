/* l2_hint.h -- what leaves L2 first. An application reads a factor once; the next one finds what is still in
 * L2. Of data that do not fit there, what has not been used for longest leaves, which is just what is
 * needed next. So with the option `once` a part of the factors leaves first and the rest stays: so many
 * sixteenths, and beyond 16, when all factors do, so many of u. Which ones goes by the number of the
 * element, batch or block, in all applications. */
#ifndef BP_KERNELS_ONCE_H
#define BP_KERNELS_ONCE_H

#include "abi/gpu.h"

#ifndef ONCE
#define ONCE 0
#endif

enum {
  ONCE_FACTORS = ONCE < 16 ? ONCE : 16, /* sixteenths */
  ONCE_U = ONCE - ONCE_FACTORS
};

/* Whether u, or the factors, of a number leave first. */
BP_DEVICE bool once_part(int number, int sixteenths)
{
  return sixteenths > 0 && (sixteenths == 16 || number % 16 < sixteenths);
}

BP_DEVICE bool once_u(int number)
{
  return once_part(number, ONCE_U);
}

BP_DEVICE bool once_factors(int number)
{
  return once_part(number, ONCE_FACTORS);
}

/* By bulk copy; `once`: it leaves first. */
BP_DEVICE void once_bulk_load(void *to, const void *from, int bytes, bool once, bp_mbarrier *full)
{
  if (once)
    bp_bulk_load_streaming(to, from, bytes, full);
  else
    bp_bulk_load(to, from, bytes, full);
}

#endif
