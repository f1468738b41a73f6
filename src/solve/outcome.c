/* outcome.c -- the residual, told and true. */
#include "solve/outcome.h"

#include "base/memory.h"
#include "base/random.h"
#include "solve/inner_products.h"
#include <float.h>
#include <math.h>

/* In single precision an iteration rounds x and p, and what A p is the sum of. */
static const double roundings = 8;

/* |f - A x| of |f|; without f |A x| of `first`. */
static double residual_of(bp_system *system, const double *f, const double *x, double first)
{
  int64_t size = bp_system_size(system);
  double *v = bp_alloc_array((size_t)size, sizeof *v);
  bp_system_apply(system, x, v);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < size; ++n)
    v[n] = (f ? f[n] : 0) - v[n];
  const double residual = bp_system_product(system, NULL, v, v);
  bp_free(v);
  return first > 0 ? sqrt(residual / first) : sqrt(residual);
}

/* What one rounding of each x to a float does to the residual: |A w|, w as large as these, of either sign. */
static double rounding_of(bp_system *system, const double *x, double first)
{
  int64_t size = bp_system_size(system);
  double *w = bp_alloc_array((size_t)size, sizeof *w);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < size; ++n) {
    bp_random random = bp_random_start((uint64_t)n + 1);
    w[n] = FLT_EPSILON / 2 * x[n] * (2 * bp_random_unit(&random) - 1);
  }
  const double residual = residual_of(system, NULL, w, first);
  bp_free(w);
  return residual;
}

bp_status bp_outcome_of(bp_system *system, const double *f, const double *x, int iterations,
                        const double *residuals, bp_outcome *outcome)
{
  bp_outcome *o = outcome;
  o->residual = residuals[0] > 0 ? residuals[iterations] / residuals[0] : residuals[iterations];
  const double first = bp_system_product(system, NULL, f, f);
  o->true_residual = residual_of(system, f, x, first);
  o->error = fabs(o->true_residual - o->residual);
  o->tolerance = 1e-3 * o->residual + 1e-11;
  if (system->problem->space.precision == BP_SINGLE)
    o->tolerance += roundings * sqrt(iterations) * rounding_of(system, x, first) + FLT_EPSILON;
  if (o->error <= o->tolerance)
    return BP_OK;
  return bp_fail(BP_WRONG, "the true residual is %.6g of the first, the kernels say %.6g",
                 o->true_residual, o->residual);
}

int bp_outcome_affordable(const bp_system *system, int iterations)
{
  const double budget = 4e6; /* nodes */
  const double nodes = (double)system->problem->elements * system->row->components *
                       (double)bp_space_nodes(system->problem->space);
  return (int)fmin(budget / nodes, iterations);
}

/* The smallest or largest of those around k. */
static double around(const double *textbook, int count, int k, double (*which)(double, double))
{
  const int shift = 2 + k / 5;
  double found = textbook[k];
  for (int n = k - shift; n <= k + shift; ++n)
    found = which(found, textbook[n < 0 ? 0 : n > count ? count : n]);
  return found;
}

bp_status bp_outcome_compare(const double *residuals, const double *textbook, int count,
                             bp_precision precision)
{
  enum { FEW = 30, FEW_IN_SINGLE = 5, TIMES = 10 };
  const bool is_single = precision == BP_SINGLE;
  const int few = is_single ? FEW_IN_SINGLE : FEW;
  const double first = textbook[0], digits = is_single ? 2e-5 : 1e-6, few_left = 1e-3,
               nothing_left = is_single ? 1e-4 : 1e-10;
  bool is_early = true;
  for (int k = 0; k <= count; ++k) {
    is_early = is_early && k <= few && textbook[k] > few_left * first;
    const double slack = is_early ? digits * first : nothing_left * first,
                 low = is_early ? textbook[k] : around(textbook, count, k, fmin) / TIMES,
                 high = is_early ? textbook[k] : around(textbook, count, k, fmax) * TIMES;
    if (!(residuals[k] >= low - slack && residuals[k] <= high + slack))
      return bp_fail(BP_WRONG,
                     "the residual after %d iterations is %.6g of the first, the textbook's %.6g",
                     k, residuals[k] / first, textbook[k] / first);
  }
  return BP_OK;
}
