/* wave2d/naive -- the loops as they stand, a thread for each grid
 *
 * degrees:  1..15 compiled once
 * operands: u v species steps
 * start:    run */
#include "abi/cpu.h"

static void step(int64_t side, const double *now, double *next)
{
  for (int64_t j = 0; j < side; ++j)
    for (int64_t i = 0; i < side; ++i) {
      const int64_t at = j * side + i;
      const double around = (i > 0 ? now[at - 1] : 0) + (i < side - 1 ? now[at + 1] : 0) +
                            (j > 0 ? now[at - side] : 0) + (j < side - 1 ? now[at + side] : 0);
      next[at] = 2 * now[at] - next[at] + 0.25 * (around - 4 * now[at]);
    }
}

BP_KERNEL
{
  const int64_t points = (int64_t)a->species * a->species;
  for (int64_t e = first; e < last; ++e) {
    double *const v = a->v + 2 * points * e;
    for (int64_t n = 0; n < 2 * points; ++n)
      v[n] = a->u[2 * points * e + n];
    for (int k = 0; k < a->steps[0]; ++k) {
      step(a->species, v, v + points);
      step(a->species, v + points, v);
    }
  }
}
