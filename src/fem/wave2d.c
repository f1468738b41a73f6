/* wave2d.c -- the formula, step after step. */
#include "fem/wave2d.h"

#include "base/memory.h"

typedef long double real;

static real at(const real *u, int64_t side, int64_t i, int64_t j)
{
  return i >= 0 && j >= 0 && i < side && j < side ? u[j * side + i] : 0;
}

static void step(int64_t side, const real *now, real *next)
{
  for (int64_t j = 0; j < side; ++j)
    for (int64_t i = 0; i < side; ++i) {
      const real u = at(now, side, i, j),
                 around = at(now, side, i - 1, j) + at(now, side, i + 1, j) +
                          at(now, side, i, j - 1) + at(now, side, i, j + 1);
      next[j * side + i] = 2 * u - next[j * side + i] + (around - 4 * u) / 4;
    }
}

void bp_wave2d_reference(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                         double *v)
{
  const int64_t side = problem->space.fields, points = side * side;
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < last - first; ++e) {
    real *both = bp_alloc_array(2 * (size_t)points, sizeof *both);
    for (int64_t n = 0; n < 2 * points; ++n)
      both[n] = u[2 * points * e + n];
    for (int k = 0; k < problem->iterations; ++k) {
      step(side, both, both + points);
      step(side, both + points, both);
    }
    for (int64_t n = 0; n < 2 * points; ++n)
      v[2 * points * e + n] = (double)both[n];
    bp_free(both);
  }
}
