/* solve.c -- `bp solve`: one solve of bp1..bp6, saved so that another program can verify it. */
#include "solve_wave.h"

#include "base/memory.h"
#include "bench/open_device.h"
#include "ranks.h"
#include "solve/cg.h"
#include "solve/load.h"
#include "terminal.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is asked for ---- */

/* What has an option of its own here, as a key of the config. */
static bp_status read_arguments(const bp_arguments *arguments, bp_config *c)
{
  static const char *const keys[] = {"degree", "tolerance"};
  const char *problem = bp_argument_string(arguments, "problem"),
             *backend = bp_argument_string(arguments, "backend");
  if (!problem)
    return bp_fail(BP_BAD_INPUT, "bp solve: expected --problem bp1..bp6 or wave, found none");
  if (!bp_argument_has(arguments, "degree"))
    return bp_fail(BP_BAD_INPUT, "bp solve: expected --degree N, found none");
  bp_status status = bp_config_set(c, "problem", problem, "--problem");
  for (size_t n = 0; n < sizeof keys / sizeof *keys && !status; ++n)
    if (bp_argument_has(arguments, keys[n]))
      status = bp_config_set(c, keys[n], bp_argument_string(arguments, keys[n]), "bp solve");
  if (!status)
    status = bp_config_set(c, "variants", bp_argument_string(arguments, "variants"), "--variants");
  if (!status)
    status = bp_config_set(c, "backend", strcmp(backend, "reference") == 0 ? "cpu" : backend,
                           "--backend");
  return status ? status : bp_config_check(c);
}

/* What ranks do not do. */
static bp_status check_for_ranks(const bp_one_case *one, const char *backend)
{
  const char *rhs = one->config->rhs;
  if (one->config->ranks == 1)
    return BP_OK;
  if (one->is_literal)
    return bp_fail(BP_BAD_INPUT,
                   "bp solve: --ranks: expected --backend cpu, cuda or emulate, found %s", backend);
  if (strcmp(rhs, "constant") != 0 && !bp_load_has_solution(rhs))
    return bp_fail(BP_BAD_INPUT,
                   "bp solve: --ranks: expected --rhs manufactured or constant, found '%s'", rhs);
  return BP_OK;
}

/* Of wave alone, and of all others alone. */
static bp_status check_options(const bp_arguments *arguments, bool is_wave)
{
  static const char *const of_wave[] = {"dt",       "cfl",   "source",    "frequency",
                                        "receiver", "slice", "snapshots", NULL};
  static const char *const of_others[] = {"lambda",     "rhs",  "tolerance", "preconditioner",
                                          "quadrature", "rule", NULL};
  for (const char *const *option = is_wave ? of_others : of_wave; *option; ++option)
    if (bp_argument_has(arguments, *option))
      return bp_fail(BP_BAD_INPUT, "--%s: expected --problem %s, found %s", *option,
                     is_wave ? "bp1..bp6" : "wave", bp_argument_string(arguments, "problem"));
  return BP_OK;
}

/* The reference has no variants: what was asked for would be ignored in silence. */
static bp_status check_variants(const bp_arguments *arguments)
{
  const char *backend = bp_argument_string(arguments, "backend");
  if (!bp_argument_has(arguments, "variants") || strcmp(backend, "reference") != 0)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "--variants: expected --backend cpu, cuda or emulate, found %s",
                 backend);
}

static bp_status check_preconditioner(const bp_config *config, bool is_literal)
{
  return is_literal && strcmp(config->preconditioner, "p-multigrid") == 0
             ? bp_fail(BP_BAD_INPUT,
                       "--preconditioner: expected none or jacobi with --backend reference")
             : BP_OK;
}

/* ---- solving ---- */

static void solve_by_the_book(bp_stage *s, int *iterations, double *true_residual)
{
  const bp_cg_options options = {.iterations = bp_stage_iterations(s->config),
                                 .tolerance = s->config->tolerance,
                                 .jacobi = s->c->space.jacobi};
  bp_cg_result result;
  bp_cg_solve(s->system, options, s->v, s->u, &result);
  *iterations = result.iterations;
  *true_residual = result.true_residual;
  memcpy(s->residuals, result.residuals, ((size_t)result.iterations + 1) * sizeof *s->residuals);
  bp_cg_result_destroy(&result);
}

/* Of an iteration of the fastest of some solves. */
static bp_status print_speed(const bp_one_case *one, bp_plan *plan)
{
  enum { TIMED = 5 };
  const bp_device *device = one->device;
  const bp_system *system = one->stage->system;
  double least = INFINITY, dofs = (double)system->row->components *
                                  (double)(bp_system_total(system) - bp_system_total_fixed(system));
  bp_status status = BP_OK;
  for (int n = 0; n < (device->backend->is_emulation ? 0 : TIMED) && !status; ++n) {
    double seconds;
    status = bp_plan_time(plan, 1, false, &seconds);
    least = fmin(least, seconds / bp_plan_iterations(plan));
  }
  if (status || !bp_one_case_prints(one))
    return status;
  bp_print(stdout, "%s on %s", one->choice->variant->id, device->name);
  if (one->stage->comm->size > 1)
    printf(", %d ranks by %s", one->stage->comm->size, bp_device_way(device));
  if (!device->backend->is_emulation)
    printf(": %.2f us for an iteration, %.2f GDOF/s", 1e6 * least, 1e-9 * dofs / least);
  printf("\n");
  return BP_OK;
}

static void complain(const bp_one_case *one, const char *id)
{
  if (bp_one_case_prints(one))
    fprintf(stderr, "bp solve: %s%s%s\n", id, *id ? ": " : "", bp_message());
}

/* *missed: the tolerance was not reached, as was said. */
static bp_status run_plan(const bp_one_case *one, bp_plan *plan, bool *missed,
                          bp_stage_outcome *outcome)
{
  const char *id = one->choice->variant->id;
  bp_status status = bp_stage_find_iterations(one->stage, plan, outcome);
  *missed = status == BP_WRONG && !isnan(one->stage->residuals[0]);
  if (status == BP_WRONG)
    complain(one, "");
  if (status && !*missed)
    return status;
  status = print_speed(one, plan);
  if (!status)
    status = bp_stage_judge(one->stage, plan, outcome);
  if (status == BP_WRONG)
    complain(one, id);
  return status;
}

static bp_status solve_by_kernels(const bp_one_case *one, int *iterations, bool *missed,
                                  bp_stage_outcome *outcome)
{
  bp_plan *plan = NULL;
  bp_status status =
      bp_comm_agree(one->stage->comm, bp_stage_plan(one->stage, one->choice,
                                                    bp_stage_iterations(one->config), &plan));
  if (status == BP_SKIPPED)
    status = bp_fail_at(BP_ENVIRONMENT, one->choice->variant->id);
  else if (status == BP_WRONG)
    complain(one, "");
  if (!status)
    status = run_plan(one, plan, missed, outcome);
  *iterations = plan ? plan->iterations : 0;
  bp_plan_destroy(plan);
  return status;
}

static bp_status check_end(const bp_one_case *one, double first, double last, double true_residual,
                           int iterations)
{
  const double tolerance = one->config->tolerance;
  if (!isfinite(last + first + true_residual)) {
    fprintf(stderr, "bp solve: expected finite residuals, found %g, at first %g\n", last, first);
    return BP_WRONG;
  }
  if (tolerance == 0 || last <= tolerance * first)
    return BP_OK;
  fprintf(stderr,
          "bp solve: expected a residual of %g of the first within %d iterations, found %.3g\n",
          tolerance, iterations, last / first);
  return BP_WRONG;
}

static bp_status solve(bp_one_case *one, const char *backend, int *iterations)
{
  bp_stage *s = one->stage;
  bp_stage_outcome outcome = bp_stage_unknown;
  bool missed = false;
  bp_status status = BP_OK;
  if (one->is_literal)
    solve_by_the_book(s, iterations, &outcome.true_residual);
  else
    status = solve_by_kernels(one, iterations, &missed, &outcome);
  if (bp_comm_check(s->comm))
    return BP_ENVIRONMENT;
  if ((status && status != BP_WRONG) || *iterations == 0)
    return status;
  const double first = s->residuals[0], last = s->residuals[*iterations];
  printf("%s: ", backend);
  if (s->inner)
    printf("%d iterations in single precision within ", s->inner);
  printf("%d iterations%s%s, residual %.3g of the first, true %.3g\n", *iterations,
         s->inner ? " in double" : "",
         s->c->space.jacobi      ? " with jacobi"
         : s->c->space.multigrid ? " with p-multigrid"
                                 : "",
         first > 0 ? last / first : 0, outcome.true_residual);
  if (bp_load_has_solution(one->config->rhs)) {
    bp_load_error error = bp_load_compare(s->system, s->u);
    if (bp_comm_check(s->comm))
      return BP_ENVIRONMENT;
    printf("L2 error %.3g, of the solution's norm %.3g\n", error.error, error.norm);
  }
  if (!status && !missed)
    status = check_end(one, first, last, outcome.true_residual, *iterations);
  return missed ? BP_WRONG : status;
}

static bp_status write_files(const bp_one_case *one, int iterations)
{
  const bp_files to = bp_one_case_files(one);
  int64_t shape[1] = {iterations + 1};
  bp_status status = one->c->kind->files(one->stage, &to);
  if (!status && bp_one_case_prints(one))
    status = to.write(to.context, "residuals", BP_NPY_FLOAT64, 1, shape, one->stage->residuals);
  return bp_comm_agree(one->stage->comm, status);
}

/* What has not converged is written, too; the exit code tells. */
static bp_status solve_and_write(bp_one_case *one, const char *backend)
{
  int iterations = 0;
  bp_status status = bp_one_case_begin(one, (bp_stage_options){0});
  if (status)
    return status;
  bp_one_case_print(one);
  status = solve(one, backend, &iterations);
  if (status && status != BP_WRONG)
    return status;
  bp_status written = iterations ? write_files(one, iterations) : BP_OK;
  return written ? written : status;
}

/* A solve's iterations are one graph. */
static bp_status open_device(bp_one_case *one, bp_comm *comm)
{
  bp_device_options options = bp_bench_device_options(one->config);
  options.graph = true;
  return bp_bench_open_on(bp_backend_find(one->config->backends.items[0]), options, comm,
                          &one->device);
}

static bp_status run(const bp_arguments *arguments, bp_config *config, bp_comm *comm, bool is_wave)
{
  const char *backend = bp_argument_string(arguments, "backend");
  bp_one_case one = {.command = "bp solve",
                     .prefix = bp_argument_string(arguments, "output"),
                     .config = config,
                     .is_literal = strcmp(backend, "reference") == 0};
  bp_status status = read_arguments(arguments, config);
  if (!status)
    status = bp_one_case_check(&one);
  if (!status)
    status = check_preconditioner(config, one.is_literal);
  if (!status)
    status = check_for_ranks(&one, backend);
  if (!status)
    status = is_wave ? bp_solve_wave_check(arguments) : BP_OK;
  if (!status)
    status = open_device(&one, comm);
  if (!status)
    status = bp_one_case_find(&one);
  if (!status)
    status = is_wave ? bp_solve_wave(arguments, &one) : solve_and_write(&one, backend);
  bp_one_case_destroy(&one);
  bp_device_destroy(one.device);
  return status;
}

bp_status bp_command_solve(const bp_arguments *arguments)
{
  const char *problem = bp_argument_string(arguments, "problem");
  const bool is_wave = problem && strcmp(problem, "wave") == 0;
  bp_status status = problem ? check_options(arguments, is_wave) : BP_OK;
  if (!status)
    status = check_variants(arguments);
  if (status)
    return status;
  bp_config *config = NULL;
  bp_comm *comm = NULL;
  status = bp_ranks_open_arguments(arguments, &config, &comm);
  if (comm)
    status = bp_comm_close(comm, run(arguments, config, comm, is_wave));
  bp_config_destroy(config);
  return status;
}
