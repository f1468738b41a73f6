/* once.h -- what leaves L2 first. An application reads a factor once; the next one finds what is still in
 * L2. Of data that do not fit there, what has not been used for longest leaves, which is just what is
 * needed next. So with the option `once` a part of the factors leaves first and the rest stays: so many
 * sixteenths, and beyond 16, when all factors do, so many of u. Which ones goes by the number of the
 * element, batch or block, in all applications. */
#ifndef BP_KERNELS_ONCE_H
#define BP_KERNELS_ONCE_H

#include "gpu.h"

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

/* The marks of what a block loads that takes elements of one number only. */
typedef struct {
  bp_l2_mark u, factors;
} once_marks;

BP_DEVICE once_marks once_marks_of(int number)
{
  const once_marks m = {bp_l2_mark_of(once_u(number)), bp_l2_mark_of(once_factors(number))};
  return m;
}

/* Of an array of which so many sixteenths leave first. */
BP_DEVICE double once_load(const double *from, int sixteenths, bp_l2_mark mark)
{
  if (sixteenths > 0 && sixteenths < 16)
    return bp_load_marked(from, mark);
  return sixteenths == 0 ? bp_load_cached(from) : bp_load_streaming(from);
}

BP_DEVICE double once_load_u(const double *from, once_marks m)
{
  return once_load(from, ONCE_U, m.u);
}

BP_DEVICE double once_load_factor(const double *from, once_marks m)
{
  return once_load(from, ONCE_FACTORS, m.factors);
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
