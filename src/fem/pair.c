/* pair.c -- the formula, and the two orders. */
#include "fem/pair.h"

#include <float.h>

typedef long double real;
enum { VECTORS = 4 }; /* ax, bx, ay, by */

bool bp_problem_is_pair(const bp_problem *problem)
{
  return problem->op == &bp_operator_pair;
}

static int64_t inputs(bp_space space)
{
  return VECTORS * space.fields;
}

static int64_t outputs(bp_space space)
{
  return (int64_t)space.fields * space.fields;
}

static int64_t flops(bp_space space)
{
  return 3 * outputs(space);
}

/* Two products and a sum, each rounded, of numbers up to 1. */
static double tolerance(const bp_problem *problem)
{
  (void)problem;
  return 2 * DBL_EPSILON;
}

static void reference(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                      double *v)
{
  const int64_t points = problem->elements, species = problem->space.fields,
                each = species * points;
  const double *ax = u, *bx = ax + each, *ay = bx + each, *by = ay + each;
  BP_ASSERT(first == 0 && last == points);
#pragma omp parallel for collapse(2) schedule(static)
  for (int64_t y = 0; y < species; ++y)
    for (int64_t x = 0; x < species; ++x)
      for (int64_t t = 0; t < points; ++t)
        v[(y * species + x) * points + t] = (double)((real)ax[x * points + t] * ay[y * points + t] +
                                                     (real)bx[x * points + t] * by[y * points + t]);
}

static const bp_own_operator own = {
    inputs,           outputs, flops, reference, tolerance, .size = 1, .is_absolute = true,
    .by_fields = true};
const bp_operator bp_operator_pair = {
    "pair", "products of pairs of species", BP_LOBATTO, 0, 0, BP_HEXAHEDRON, 0, &own};

void bp_pair_by_species(const bp_problem *problem, const double *u, double *by_species)
{
  const int64_t points = problem->elements, species = problem->space.fields;
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < points; ++t)
    for (int64_t vector = 0; vector < VECTORS; ++vector)
      for (int64_t x = 0; x < species; ++x)
        by_species[(vector * points + t) * species + x] = u[(vector * species + x) * points + t];
}

/* In tiles of points, so that lines of both arrays are used as a whole. */
void bp_pair_by_points(const bp_problem *problem, const double *by_species, double *v)
{
  enum { TILE = 64 };
  const int64_t points = problem->elements, species = problem->space.fields;
#pragma omp parallel for schedule(static)
  for (int64_t first = 0; first < points; first += TILE)
    for (int64_t y = 0; y < species; ++y)
      for (int64_t x = 0; x < species; ++x)
        for (int64_t t = first; t < first + TILE && t < points; ++t)
          v[(y * species + x) * points + t] = by_species[(t * species + x) * species + y];
}
