/* rounds.c -- the few elements of a check again and again, until there are many. */
#include "check/rounds.h"

#include "base/memory.h"
#include <string.h>

/* `count` numbers of which every `each` are the same. */
static double *repeated(const double *values, int64_t each, int64_t count)
{
  double *all = bp_alloc_array((size_t)count, sizeof *all);
#pragma omp parallel for schedule(static)
  for (int64_t at = 0; at < count; at += each)
    memcpy(all + at, values, (size_t)each * sizeof *all);
  return all;
}

/* Nothing compares inputs here: that takes longer than all else, and smaller cases do it. */
static bp_status check_on(bp_device *device, const bp_choice *choice, const bp_problem *many,
                          const double *u, const double *reference, double *v)
{
  bp_workspace *w = NULL;
  bp_plan *plan = NULL;
  double error;
  bp_status status = bp_workspace_create(device, many, false, &w);
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

bp_status bp_check_rounds(const bp_checked *t, bp_device *device, const bp_check_oracle *o)
{
  enum { MOST = 1 << 24, OF_MEMORY = 64 }; /* 128 MB of factors; an eighth of the memory */
  if (t->check->backend != &bp_backend_cuda)
    return BP_OK;
  const bp_problem *few = o->problem;
  const int64_t fits = device->memory_free / OF_MEMORY, factors = fits < MOST ? fits : MOST;
  bp_problem many = *few;
  many.distinct = few->elements;
  many.elements *= factors / bp_problem_factors_count(few) + 2;
  many.lambda = o->lambda[0];
  t->tally->elements = many.elements;
  double *u = repeated(o->u[0], bp_problem_dofs(few), bp_problem_dofs(&many)),
         *reference = repeated(o->reference[0], bp_problem_outputs(few), bp_problem_outputs(&many)),
         *v = bp_alloc_array((size_t)bp_problem_outputs(&many), sizeof *v);
  bp_status status = check_on(device, &t->task->choice, &many, u, reference, v);
  bp_free(u);
  bp_free(reference);
  bp_free(v);
  return bp_checked_count(t, status);
}
