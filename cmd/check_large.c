/* check_large.c -- the few elements of a check again and again, until their factors are many. */
#include "check_large.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/plan.h"
#include "device/workspace.h"
#include "measure/verify.h"
#include <string.h>

/* Memory of the host: u and its copy, v, the reference, and factors on their way to the device. */
static bp_status check_memory(const bp_problem *p)
{
  enum { VECTORS = 4 };
  int64_t needed =
      (int64_t)sizeof(double) * (VECTORS * bp_problem_dofs(p) + bp_problem_factors_count(p));
  int64_t available = bp_memory_available();
  char a[32], b[32];
  if (needed <= available)
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT, "needs %s of the host's memory; %s are available",
                 bp_print_bytes(a, (double)needed), bp_print_bytes(b, (double)available));
}

static double *repeated(const bp_problem *large, const double *values)
{
  int64_t nodes = bp_problem_dofs(large) / large->elements;
  double *all = bp_alloc_array((size_t)bp_problem_dofs(large), sizeof *all);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < large->elements; ++e)
    memcpy(all + e * nodes, values + e % large->distinct * nodes, (size_t)nodes * sizeof *all);
  return all;
}

/* Nothing compares inputs here: that takes longer than all else, and smaller cases do it. */
static bp_status check_on(bp_device *device, const bp_choice *choice, const bp_problem *large,
                          const double *u, const double *reference, double *v)
{
  bp_workspace *w = NULL;
  bp_plan *plan = NULL;
  double error;
  bp_status status = bp_workspace_create(device, large, false, &w);
  if (!status)
    status = bp_workspace_write(w, u);
  if (!status)
    status = bp_plan_create(w, choice, &plan);
  if (!status)
    status = bp_verify(plan, reference, v, &error);
  bp_plan_destroy(plan);
  bp_workspace_destroy(w);
  return status;
}

bp_status bp_check_large(bp_device *device, const bp_choice *choice, const bp_problem *few,
                         int64_t entries, const double *u, const double *reference,
                         int64_t *elements)
{
  int64_t each = bp_problem_factors_count(few) / few->elements;
  bp_problem large = *few;
  large.distinct = few->elements;
  *elements = large.elements = (entries + each - 1) / each + few->elements;
  bp_status status = check_memory(&large);
  if (status)
    return status;
  double *all_u = repeated(&large, u), *all = repeated(&large, reference);
  double *v = bp_alloc_array((size_t)bp_problem_dofs(&large), sizeof *v);
  status = check_on(device, choice, &large, all_u, all, v);
  bp_free(all_u);
  bp_free(all);
  bp_free(v);
  return status;
}
