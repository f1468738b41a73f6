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
