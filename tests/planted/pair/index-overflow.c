/* pair/index-overflow -- an index of 32 bits, too few for the rows of many points
 *
 * degrees:  1..15 compiled once
 * operands: u v species
 * option:   correct 0..1 = 0 -- without the bug */
#include "abi/cpu.h"

BP_KERNEL
{
  const int64_t points = a->elements, species = a->species, each = species * points;
  const double *ax = a->u, *bx = ax + each, *ay = bx + each, *by = ay + each;
  for (int64_t y = 0; y < species; ++y)
    for (int64_t x = 0; x < species; ++x)
      for (int64_t t = first; t < last; ++t) {
        const int64_t at = (y * species + x) * points + t;
        a->v[a->option[0] ? at : (int)at] =
            ax[x * points + t] * ay[y * points + t] + bx[x * points + t] * by[y * points + t];
      }
}
