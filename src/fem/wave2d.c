/* wave2d.c -- the formula, step after step. */
#include "fem/wave2d.h"

#include "base/memory.h"
#include "fem/problem.h"
#include <float.h>

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

/* problem->iterations of them. */
static void reference(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                      double *v)
{
  const int64_t side = problem->space.fields, points = side * side;
#pragma omp parallel for schedule(static)
  for (int64_t e = first; e < last; ++e) {
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

/* Now and before. */
static int64_t values(bp_space space)
{
  return 2 * (int64_t)space.fields * space.fields;
}

static int64_t flops(bp_space space)
{
  enum { OF_A_POINT = 9 }; /* each step, of two in an iteration */
  return OF_A_POINT * values(space);
}

static double tolerance(const bp_problem *problem)
{
  enum { OF_A_STEP = 16 };
  return DBL_EPSILON * OF_A_STEP * (1 + problem->iterations);
}

static const bp_own_operator own = {
    values, values, flops, reference, tolerance, .size = 1, .by_fields = true, .iterations = 3};
const bp_operator bp_operator_wave2d = {
    "wave2d", "wave equation on a grid", BP_LOBATTO, 0, 0, BP_HEXAHEDRON, 0, &own};
