/* check_case.c -- one choice on one set of inputs. */
#include "check_case.h"
#include "check_solve.h"
#include "terminal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "device/plan.h"
#include "fem/reference.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Lambda is 1 where `run` has it by itself, 0 where a term is gone, and something that hides nothing, above 1
 * at even degrees. */
static const struct {
  int fill;
  double lambda; /* NaN: an odd one, or what was set */
} cases[] = {{0, NAN}, {1, 1}, {0, 0}};
_Static_assert(sizeof cases / sizeof *cases == BP_CHECK_CASES, "a row for each");

static double lambda_of(const bp_check *c, int degree, int n)
{
  return !isnan(cases[n].lambda)                ? cases[n].lambda
         : bp_config_where(c->config, "lambda") ? c->config->lambda
         : degree % 2                           ? 0.7291
                                                : 2.7291;
}

/* Operators without a mass term take no notice of lambda, whatever it is. */
bp_check_oracle bp_check_oracle_create(const bp_check *c, const bp_operator *op, bp_space space,
                                       int64_t elements)
{
  bp_check_oracle o = {.cases = op->components > 1 ? BP_CHECK_CASES : BP_FILLS};
  uint64_t seed = (uint64_t)c->config->seed;
  bp_problem_random(op, space, 1, elements, seed + (uint64_t)bp_operator_degree(op, space),
                    &o.problem);
  size_t dofs = (size_t)bp_problem_dofs(o.problem);
  size_t outputs = (size_t)bp_problem_outputs(o.problem);
  for (int f = 0; f < BP_FILLS; ++f) {
    o.u[f] = bp_alloc_array(dofs, sizeof(double));
    bp_fill(f, seed + 17u, o.problem, o.u[f]);
  }
  for (int n = 0; n < o.cases; ++n) {
    o.problem->lambda = o.lambda[n] = lambda_of(c, bp_operator_degree(op, space), n);
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

void bp_check_print_failure(const bp_check *c, const bp_choice *choice, const char *what)
{
  char *options = bp_choice_options(choice);
  char *elements =
      c->shared->before     ? bp_format("%lld elements behind %lld", (long long)c->shared->elements,
                                        (long long)c->shared->before)
      : c->shared->elements ? bp_format("%lld elements", (long long)c->shared->elements)
                            : bp_strdup("counted");
  const char *q = c->shared->quadrature;
  const char *geometry = bp_space_geometry((bp_space){.geometry = c->shared->geometry});
  const char *op = c->shared->operator;
  char *where = c->shared->degree ? bp_format("  %s%sN=%d, %s%s%s%s%s", op ? op : "", op ? " " : "",
                                              c->shared->degree, q, *q ? " points, " : "", geometry,
                                              *geometry ? ", " : "", elements)
                                  : bp_strdup(""); /* before the first */
  bp_print(stdout, "FAIL  %s%s%s  %s%s%s%s: %s\n", choice->variant->id, *options ? " " : "",
           options, c->backend->name, *c->shared->isa ? " " : "", c->shared->isa, where, what);
  fflush(stdout); /* a crash may follow */
  bp_free(where);
  bp_free(elements);
  bp_free(options);
}

void bp_check_fail(const bp_check *c, const bp_choice *choice, const char *what)
{
  if (c->shared->failed++ < BP_CHECK_FAILURES_SHOWN)
    bp_check_print_failure(c, choice, what);
}

/* Seconds in which a CPU kernel has to end, ten thousand times what it takes. */
static int limit_of(const bp_problem *problem, const bp_device *device)
{
  enum { LEAST = 10 };
  static const double flops_per_second = 1e6;
  double flops = (double)bp_operator_flops(problem->op, problem->space) * (double)problem->elements;
  return LEAST + (int)(flops / flops_per_second / device->sms);
}

/* The emulator has fences of its own. Two parts of a sum have only one order. */
bp_device_options bp_check_device_options(const bp_check *c)
{
  enum { SEVERAL = 3 };
  bp_device_options options = bp_bench_device_options(c->config);
  if (options.threads == 0 && omp_get_max_threads() < SEVERAL)
    options.threads = SEVERAL;
  options.fenced = c->backend == &bp_backend_cpu;
  return options;
}

/* The emulator limits its programs by itself, and the driver what runs on a GPU. */
void bp_check_set_limit(const bp_check *c, int seconds)
{
  if (c->backend != &bp_backend_cpu)
    return;
  c->shared->limit = seconds;
  c->shared->since = bp_clock();
  alarm((unsigned)seconds);
}

bp_status bp_check_case(const bp_check *c, bp_workspace *w, const bp_choice *choice,
                        bp_check_oracle *o, int n)
{
  bp_plan *plan = NULL;
  double error;
  bp_status status = bp_workspace_write(w, o->u[cases[n].fill]);
  if (!status)
    status = bp_plan_create(w, choice, &plan);
  bp_check_set_limit(c, limit_of(w->problem, w->device));
  if (!status)
    status = bp_verify(plan, o->reference[n], o->v, &error);
  if (!status && !w->device->backend->is_emulation)
    status = bp_verify_repeats(plan, o->v);
  bp_check_set_limit(c, 0);
  bp_plan_destroy(plan);
  return status;
}

void bp_check_count_outcome(const bp_check *c, const bp_choice *choice, bp_status status)
{
  if (status == BP_SKIPPED && c->shared->skipped++ == 0)
    snprintf(c->shared->why, sizeof c->shared->why, "%s", bp_message());
  if (status == BP_SKIPPED)
    return;
  if (status)
    bp_check_fail(c, choice, bp_message());
  else
    ++c->shared->passed;
}

bp_build bp_check_build(const bp_check *c, const bp_choice *choice, int degree, int beyond)
{
  const char *folder = choice->variant->problem, *rule = c->config->rule;
  const bp_operator *op = bp_operator_find(folder);
  const bp_bake_off *rows[BP_BAKE_OFFS];
  bp_build build = {*choice, op, {0}};
  if (op || bp_check_rows(choice->variant, rows) == 0) {
    build.space = bp_operator_space_with(op, degree, beyond, rule);
  } else {
    build.op = bp_operator_find(rows[0]->operator);
    build.space = bp_bake_off_space_with(rows[0], degree, beyond, rule);
  }
  build.space.geometry = c->shared->geometry;
  build.space.precision = bp_precision_find(c->config->precision);
  return build;
}
