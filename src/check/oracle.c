/* oracle.c -- random inputs, the reference's results, and one case of a choice. */
#include "check/oracle.h"

#include "base/memory.h"
#include "fem/reference.h"

/* Lambda is 0 where a term is gone, and something that hides nothing; above 1 at each degree. */
static const struct {
  int fill;
  double odd, even; /* at such degrees */
} cases[] = {{0, 0.7291, 2.7291}, {1, 3.1729, 1}, {0, 0, 0}};
_Static_assert(sizeof cases / sizeof *cases == BP_CHECK_CASES, "a row for each");

static double lambda_of(const bp_config *config, int degree, int n)
{
  if (n == 0 && bp_config_where(config, "lambda"))
    return config->lambda;
  return degree % 2 ? cases[n].odd : cases[n].even;
}

/* Operators without a mass term take no notice of lambda, whatever it is. */
bp_check_oracle bp_check_oracle_create(const bp_checked *t, const bp_operator *op, bp_space space,
                                       int64_t elements)
{
  bp_check_oracle o = {.cases = op->components > 1 ? BP_CHECK_CASES : BP_FILLS};
  uint64_t seed = (uint64_t)t->check->config->seed;
  bp_problem_random(op, space, 1, elements, seed + (uint64_t)bp_operator_degree(op, space),
                    &o.problem);
  size_t dofs = (size_t)bp_problem_dofs(o.problem);
  size_t outputs = (size_t)bp_problem_outputs(o.problem);
  for (int f = 0; f < BP_FILLS; ++f) {
    o.u[f] = bp_alloc_array(dofs, sizeof(double));
    bp_fill(f, seed + 17u, o.problem, o.u[f]);
  }
  for (int n = 0; n < o.cases; ++n) {
    o.problem->lambda = o.lambda[n] = lambda_of(t->check->config, bp_operator_degree(op, space), n);
    o.reference[n] = bp_alloc_array(outputs, sizeof(double));
    bp_reference_apply(o.problem, 0, elements, o.u[cases[n].fill], o.reference[n]);
  }
  o.v = bp_alloc_array(outputs, sizeof(double));
  return o;
}

void bp_check_oracle_destroy(bp_check_oracle *o)
{
  for (int f = 0; f < BP_FILLS; ++f)
    bp_free(o->u[f]);
  for (int n = 0; n < o->cases; ++n)
    bp_free(o->reference[n]);
  bp_free(o->v);
  bp_problem_destroy(o->problem);
}

/* Seconds in which a CPU kernel has to end, ten thousand times what it takes. */
static int limit_of(const bp_problem *problem, const bp_device *device)
{
  enum { LEAST = 10 };
  static const double flops_per_second = 1e6;
  double flops = (double)bp_operator_flops(problem->op, problem->space) * (double)problem->elements;
  return LEAST + (int)(flops / flops_per_second / device->sms);
}

bp_status bp_check_case(const bp_checked *t, bp_workspace *w, bp_check_oracle *o, int n)
{
  bp_plan *plan = NULL;
  double error;
  bp_status status = bp_workspace_write(w, o->u[cases[n].fill]);
  if (!status)
    status = bp_plan_create(w, &t->task->choice, &plan);
  bp_checked_limit(t, limit_of(w->problem, w->device));
  if (!status)
    status = bp_verify(plan, o->reference[n], o->v, &error);
  if (!status && !w->device->backend->is_emulation)
    status = bp_verify_repeats(plan, o->v);
  bp_checked_limit(t, 0);
  bp_plan_destroy(plan);
  return status;
}
