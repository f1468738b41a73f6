/* check_large.c -- the few elements of a check again and again, until their factors are many. */
#include "check_large.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/plan.h"
#include "device/workspace.h"
#include "fem/pair.h"
#include "measure/verify.h"
#include <string.h>

/* Memory of the host: u and its copy, v, the reference, pair's other order, and factors on their way to the
 * device. */
static bp_status check_memory(const bp_problem *p)
{
  enum { VECTORS = 2 };
  const int64_t both = bp_problem_dofs(p) + bp_problem_outputs(p);
  int64_t needed = (int64_t)sizeof(double) *
                   ((VECTORS + bp_problem_is_pair(p)) * both + bp_problem_factors_count(p));
  int64_t available = bp_memory_available();
  char a[32], b[32];
  if (needed <= available)
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT, "needs %s of the host's memory; %s are available",
                 bp_print_bytes(a, (double)needed), bp_print_bytes(b, (double)available));
}

/* Of `rows` rows, `count` times each those of `values`, of which a row has `each`. */
static double *repeated(const double *values, int64_t rows, int64_t each, int64_t count)
{
  double *all = bp_alloc_array((size_t)(rows * count), sizeof *all);
  for (int64_t r = 0; r < rows; ++r)
#pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < count; at += each)
      memcpy(all + r * count + at, values + r * each,
             (size_t)(count - at < each ? count - at : each) * sizeof *all);
  return all;
}

/* The mesh of `few`, a gradient's, again and again, each with nodes of its own. */
static int *repeated_gather(const bp_problem *few, const bp_problem *large)
{
  const int64_t nodes = bp_space_nodes(few->space), each = few->elements * nodes;
  int *all = bp_alloc_array((size_t)(large->elements * nodes), sizeof *all);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < large->elements * nodes; ++n)
    all[n] = (int)(few->gather[n % each] + n / each * few->mesh_nodes);
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

static bp_status check_repeated(bp_device *device, const bp_choice *choice, const bp_problem *few,
                                const bp_problem *large, const double *u, const double *reference)
{
  const bool is_pair = bp_problem_is_pair(few);
  const int64_t inputs = is_pair ? bp_operator_inputs(few->op, few->space) : 1,
                outputs = is_pair ? bp_operator_outputs(few->op, few->space) : 1;
  double *all_u =
      repeated(u, inputs, bp_problem_dofs(few) / inputs, bp_problem_dofs(large) / inputs);
  double *all = repeated(reference, outputs, bp_problem_outputs(few) / outputs,
                         bp_problem_outputs(large) / outputs);
  double *v = bp_alloc_array((size_t)bp_problem_outputs(large), sizeof *v);
  bp_status status = check_on(device, choice, large, all_u, all, v);
  bp_free(all_u);
  bp_free(all);
  bp_free(v);
  return status;
}

bp_status bp_check_large(bp_device *device, const bp_choice *choice, const bp_problem *few,
                         int64_t entries, const double *u, const double *reference,
                         int64_t *elements)
{
  const int64_t all = few->op->components ? bp_problem_factors_count(few) : bp_problem_outputs(few);
  const int64_t each = all / few->elements;
  bp_problem large = *few;
  large.distinct = few->elements;
  *elements = large.elements = (entries + each - 1) / each + few->elements;
  large.mesh_nodes *= (large.elements + few->elements - 1) / few->elements;
  if (large.mesh_nodes > INT32_MAX)
    return bp_fail(BP_SKIPPED, "has more nodes than an int counts");
  bp_status status = check_memory(&large);
  if (status)
    return status;
  if (few->gather)
    large.gather = repeated_gather(few, &large);
  status = check_repeated(device, choice, few, &large, u, reference);
  if (few->gather)
    bp_free(large.gather);
  return status;
}
