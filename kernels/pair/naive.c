/* pair/naive -- the formula as it stands: the points innermost, so that the compiler makes vectors
 *
 * degrees:  1..15 compiled once
 * operands: u v species
 *
 * Every ordinary store reads the line that it overwrites. */
#include "abi/cpu.h"

BP_KERNEL
{
  const int64_t points = a->elements, species = a->species, each = species * points;
  const double *ax = a->u, *bx = ax + each, *ay = bx + each, *by = ay + each;
  for (int64_t y = 0; y < species; ++y)
    for (int64_t x = 0; x < species; ++x) {
      double *v = a->v + (y * species + x) * points;
      for (int64_t t = first; t < last; ++t)
        v[t] = ax[x * points + t] * ay[y * points + t] + bx[x * points + t] * by[y * points + t];
    }
}
