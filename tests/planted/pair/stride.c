/* pair/stride -- rows of v stand closer than they are long, unless 8 divides the number of points
 *
 * degrees:  1..15 compiled once
 * operands: u v species
 * option:   correct 0..1 = 0 -- without the bug */
#include "abi/cpu.h"

BP_KERNEL
{
  const int64_t points = a->elements, species = a->species, each = species * points;
  const int64_t row = a->option[0] ? points : points - points % 8;
  const double *ax = a->u, *bx = ax + each, *ay = bx + each, *by = ay + each;
  for (int64_t y = 0; y < species; ++y)
    for (int64_t x = 0; x < species; ++x)
      for (int64_t t = first; t < last; ++t)
        a->v[(y * species + x) * row + t] =
            ax[x * points + t] * ay[y * points + t] + bx[x * points + t] * by[y * points + t];
}
