/* verify.c -- one application, compared with the reference. */
#include "measure/verify.h"

#include "base/random.h"
#include "fem/reference.h"
#include <math.h>
#include <string.h>

const char *const bp_fills[BP_FILLS] = {"random", "impulse"};

void bp_fill(int fill, uint64_t seed, const bp_problem *problem, double *u)
{
  int64_t nodes = bp_problem_dofs(problem) / problem->elements;
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < problem->elements; ++e) {
    bp_random random = bp_random_start(seed * 0x9e3779b97f4a7c15u + (uint64_t)e);
    double *ue = u + e * nodes;
    if (fill == 0) {
      for (int64_t n = 0; n < nodes; ++n)
        ue[n] = 2 * bp_random_unit(&random) - 1;
    } else {
      memset(ue, 0, (size_t)nodes * sizeof *ue);
      ue[bp_random_below(&random, (uint64_t)nodes)] = 1;
    }
  }
}

bp_status bp_verify(bp_plan *plan, const double *reference, double *v, double *error)
{
  bp_workspace *w = plan->workspace;
  const bp_problem *problem = w->problem;
  double tolerance = bp_reference_tolerance(problem);
  int64_t where = 0, nq = problem->basis.nq;
  *error = NAN;
  bp_status status = bp_workspace_poison(w);
  if (!status)
    status = bp_plan_apply(plan);
  if (!status)
    status = bp_workspace_guards(w);
  if (!status)
    status = bp_workspace_read(w, v);
  if (status)
    return status;
  *error = bp_reference_error(problem, 0, problem->elements, v, reference, &where);
  if (*error <= tolerance)
    return BP_OK;
  return bp_fail(
      BP_WRONG,
      "error %.2g, tolerance %.2g; worst at element %lld of %lld, node (i %lld, j %lld, k "
      "%lld): expected %.17g, found %.17g",
      *error, tolerance, (long long)(where / (nq * nq * nq)), (long long)problem->elements,
      (long long)(where % nq), (long long)(where / nq % nq), (long long)(where / (nq * nq) % nq),
      reference[where], v[where]);
}
