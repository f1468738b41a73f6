/* outcome.c -- the residual, told and true. */
#include "solve/outcome.h"

#include "base/memory.h"
#include "solve/inner_products.h"
#include <math.h>

static double true_residual(bp_system *system, const double *f, const double *x)
{
  int64_t size = bp_system_size(system);
  double *v = bp_alloc_array((size_t)size, sizeof *v);
  bp_system_apply(system, x, v);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < size; ++n)
    v[n] = f[n] - v[n];
  double residual = bp_system_product(system, NULL, v, v),
         first = bp_system_product(system, NULL, f, f);
  bp_free(v);
  return first > 0 ? sqrt(residual / first) : sqrt(residual);
}

bp_status bp_outcome_of(bp_system *system, const double *f, const double *x, int iterations,
                        const double *residuals, bp_outcome *outcome)
{
  bp_outcome *o = outcome;
  o->residual = residuals[0] > 0 ? residuals[iterations] / residuals[0] : residuals[iterations];
  o->true_residual = true_residual(system, f, x);
  o->error = fabs(o->true_residual - o->residual);
  o->tolerance = 1e-3 * o->residual + 1e-11;
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

bp_status bp_outcome_compare(const double *residuals, const double *textbook, int count)
{
  enum { FEW = 30, TIMES = 10 };
  const double first = textbook[0], digits = 1e-6, few_left = 1e-3, nothing_left = 1e-10;
  bool is_early = true;
  for (int k = 0; k <= count; ++k) {
    is_early = is_early && k <= FEW && textbook[k] > few_left * first;
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
