/* solve.c -- `bp solve`: one solve of bp1..bp6, saved so that another program can verify it. */
#include "assembled.h"
#include "bench/open.h"
#include "cli/command.h"
#include "ranks.h"
#include "solve_wave.h"
#include "terminal.h"

#include "base/memory.h"
#include "base/text.h"
#include "solve/cg.h"
#include "solve/load.h"
#include "solve/outcome.h"
#include "solve/scheme.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 100, ITERATIONS_TO_TOLERANCE = 10000, TIMED = 5 };

typedef struct {
  bp_comm *comm;
  int threads; /* of this rank */
  bp_assembled assembled;
  bp_cg_options options;
  const char *rhs;     /* "manufactured", "constant", a path */
  const char *backend; /* "reference": no kernel at all */
  const char *variant; /* of that backend */
  double *f, *u;
  bp_cg_result result;
} solution;

static bool is_reference(const solution *s)
{
  return strcmp(s->backend, "reference") == 0;
}

static bp_status read_arguments(solution *s, const bp_arguments *arguments, const bp_config *config,
                                bp_system_options *system)
{
  const char *problem = bp_argument_string(arguments, "problem");
  if (!problem)
    return bp_fail(BP_BAD_INPUT, "bp solve: expected --problem bp1..bp6 or wave, found none");
  if (!bp_argument_has(arguments, "degree"))
    return bp_fail(BP_BAD_INPUT, "bp solve: expected --degree N, found none");
  bool has_tolerance = bp_argument_has(arguments, "tolerance");
  *system = (bp_system_options){.row = bp_bake_off_find(problem),
                                .lambda = bp_argument_double(arguments, "lambda")};
  s->rhs = bp_argument_string(arguments, "rhs");
  s->backend = bp_argument_string(arguments, "backend");
  s->variant = bp_argument_string(arguments, "variants");
  s->options = (bp_cg_options){
      .iterations = has_tolerance ? ITERATIONS_TO_TOLERANCE : ITERATIONS,
      .jacobi = strcmp(bp_argument_string(arguments, "preconditioner"), "jacobi") == 0};
  if (has_tolerance)
    s->options.tolerance = bp_argument_double(arguments, "tolerance");
  if (bp_argument_has(arguments, "iterations"))
    s->options.iterations = (int)bp_argument_int(arguments, "iterations");
  const int degree = (int)bp_argument_int(arguments, "degree");
  bp_status status = bp_assembled_space(config, system->row, degree, &system->space);
  system->space.jacobi = s->options.jacobi;
  system->iterations = s->options.iterations;
  return status;
}

/* What ranks do not do. */
static bp_status check_for_ranks(const solution *s)
{
  const bool is_file = strcmp(s->rhs, "constant") != 0 && !bp_load_has_solution(s->rhs);
  if (s->comm->size > 1 && is_reference(s))
    return bp_fail(BP_BAD_INPUT,
                   "bp solve: --ranks: expected --backend cpu, cuda or emulate, found %s",
                   s->backend);
  if (s->comm->size > 1 && is_file)
    return bp_fail(BP_BAD_INPUT,
                   "bp solve: --ranks: expected --rhs manufactured or constant, found '%s'",
                   s->rhs);
  return BP_OK;
}

static bool prints(const solution *s)
{
  return s->comm->rank == 0;
}

static bp_status make_load(solution *s)
{
  bp_system *system = s->assembled.system;
  size_t size = (size_t)bp_system_size(system);
  s->f = bp_alloc_array(size, sizeof *s->f);
  s->u = bp_alloc_array(size, sizeof *s->u);
  return bp_load_named(system, s->rhs, s->f);
}

static void print_speed(const solution *s, const bp_device *device, const char *id, double seconds)
{
  const bp_system *system = s->assembled.system;
  double dofs = (double)system->row->components *
                (double)(bp_system_total(system) - bp_system_total_fixed(system));
  bp_print(stdout, "%s on %s", id, device->name);
  if (s->comm->size > 1)
    printf(", %d ranks by %s", s->comm->size, bp_device_way(device));
  if (!device->backend->is_emulation)
    printf(": %.2f us for an iteration, %.2f GDOF/s", 1e6 * seconds, 1e-9 * dofs / seconds);
  printf("\n");
}

static bp_status run_kernels(solution *s, bp_device *device)
{
  bp_choice choice;
  bp_status status = bp_assembled_choose(&s->assembled, device, s->variant, "two-kernel", &choice);
  if (status)
    return status;
  const bp_variant *variant = choice.variant;
  BP_ASSERT(variant);
  bp_cg_result *r = &s->result;
  r->iterations = s->options.iterations;
  r->residuals = bp_alloc((size_t)r->iterations + 1, sizeof *r->residuals);
  bp_scheme_once run = {.iterations = r->iterations,
                        .tolerance = s->options.tolerance,
                        .timed = device->backend->is_emulation ? 0 : TIMED,
                        .residuals = r->residuals};
  status = bp_scheme_solve(device, &choice, s->assembled.system, s->f, s->u, &run);
  r->iterations = run.iterations;
  if (status == BP_SKIPPED)
    return bp_fail_at(BP_ENVIRONMENT, variant->id);
  if (status == BP_WRONG && prints(s))
    fprintf(stderr, "bp solve: %s\n", bp_message());
  if (status)
    return status;
  bp_outcome outcome;
  if (prints(s))
    print_speed(s, device, variant->id, run.seconds);
  status = bp_outcome_of(s->assembled.system, s->f, s->u, r->iterations, r->residuals, &outcome);
  r->true_residual = outcome.true_residual;
  if (bp_comm_check(s->comm))
    return BP_ENVIRONMENT;
  if (status && prints(s))
    fprintf(stderr, "bp solve: %s: %s\n", variant->id, bp_message());
  return status;
}

static bp_status solve_by_kernels(solution *s)
{
  const bp_device_options options = {.graph = true, .threads = s->threads};
  bp_device *device = NULL;
  bp_status status = bp_bench_open_on(bp_backend_find(s->backend), options, s->comm, &device);
  if (!status)
    status = run_kernels(s, device);
  bp_device_destroy(device);
  return status;
}

static bp_status solve(solution *s)
{
  bp_system *system = s->assembled.system;
  bp_status status = BP_OK;
  if (is_reference(s))
    bp_cg_solve(system, s->options, s->f, s->u, &s->result);
  else
    status = solve_by_kernels(s);
  if (status && status != BP_WRONG)
    return status;
  const bp_cg_result *r = &s->result;
  if (!r->residuals)
    return status;
  double last = r->residuals[r->iterations], first = r->residuals[0];
  printf("%s: %d iterations%s, residual %.3g of the first, true %.3g\n", s->backend, r->iterations,
         s->options.jacobi ? " with jacobi" : "", first > 0 ? last / first : 0, r->true_residual);
  if (bp_load_has_solution(s->rhs)) {
    bp_load_error error = bp_load_compare(system, s->u);
    if (bp_comm_check(s->comm))
      return BP_ENVIRONMENT;
    printf("L2 error %.3g, of the solution's norm %.3g\n", error.error, error.norm);
  }
  if (!status && !isfinite(last + first + r->true_residual)) {
    fprintf(stderr, "bp solve: expected finite residuals, found %g, at first %g\n", last, first);
    return BP_WRONG;
  }
  if (status || last <= s->options.tolerance * first || s->options.tolerance == 0)
    return status;
  fprintf(stderr,
          "bp solve: expected a residual of %g of the first within %d iterations, found "
          "%.3g\n",
          s->options.tolerance, r->iterations, last / first);
  return BP_WRONG;
}

static bp_status write_files(const solution *s)
{
  const bp_assembled *a = &s->assembled;
  int64_t shape[1] = {s->result.iterations + 1};
  bp_status status = bp_assembled_write_space(a);
  if (!status)
    status = bp_assembled_write_vector(a, "f", s->f);
  if (!status)
    status = bp_assembled_write_vector(a, "u", s->u);
  if (!status && prints(s))
    status = bp_write_npy(a->prefix, "residuals", BP_NPY_FLOAT64, 1, shape, s->result.residuals);
  return bp_comm_agree(s->comm, status);
}

/* What has not converged is written, too; the exit code tells. */
static bp_status solve_and_write(solution *s)
{
  bp_assembled_print(&s->assembled);
  bp_status status = solve(s);
  if (status && status != BP_WRONG)
    return status;
  bp_status written = s->result.residuals ? write_files(s) : BP_OK;
  return written ? written : status;
}

static bp_status run(solution *s, const bp_arguments *arguments, const bp_config *config)
{
  bp_system_options options = {0};
  bp_status status = read_arguments(s, arguments, config, &options);
  if (!status)
    status = check_for_ranks(s);
  if (!status)
    status = bp_assembled_create(arguments, "bp solve", options, s->comm, &s->assembled);
  if (!status)
    status = bp_comm_agree(s->comm, make_load(s));
  if (!status)
    status = solve_and_write(s);
  bp_free(s->f);
  bp_free(s->u);
  bp_cg_result_destroy(&s->result);
  bp_assembled_destroy(&s->assembled);
  return status;
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

bp_status bp_command_solve(const bp_arguments *arguments)
{
  const char *problem = bp_argument_string(arguments, "problem");
  const bool is_wave = problem && strcmp(problem, "wave") == 0;
  bp_status is_wrong = problem ? check_options(arguments, is_wave) : BP_OK;
  if (!is_wrong)
    is_wrong = check_variants(arguments);
  if (is_wrong)
    return is_wrong;
  solution s = {0};
  bp_config *config = NULL;
  bp_status status = bp_ranks_open_arguments(arguments, &config, &s.comm);
  if (s.comm) {
    s.threads = (int)config->threads;
    status = is_wave ? bp_solve_wave(arguments, s.comm, s.threads) : run(&s, arguments, config);
    status = bp_comm_close(s.comm, status);
  }
  bp_config_destroy(config);
  return status;
}
