/* solve.c -- `bp solve`: one solve of bp1..bp6, saved so that another program can verify it. */
#include "assembled.h"
#include "cli/command.h"

#include "base/memory.h"
#include "solve/cg.h"
#include "solve/load.h"
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 100, ITERATIONS_TO_TOLERANCE = 10000 };

typedef struct {
  bp_assembled assembled;
  bp_cg_options options;
  const char *rhs; /* "manufactured", "constant", a path */
  double *f, *u;
  bp_cg_result result;
} solution;

static bp_status read_arguments(solution *s, const bp_arguments *arguments,
                                bp_system_options *system)
{
  const char *problem = bp_argument_string(arguments, "problem");
  if (!problem)
    return bp_fail(BP_BAD_INPUT, "bp solve: expected --problem bp1..bp6, found none");
  if (!bp_argument_has(arguments, "degree"))
    return bp_fail(BP_BAD_INPUT, "bp solve: expected --degree N, found none");
  bool has_tolerance = bp_argument_has(arguments, "tolerance");
  *system = (bp_system_options){.row = bp_bake_off_find(problem),
                                .degree = (int)bp_argument_int(arguments, "degree"),
                                .lambda = bp_argument_double(arguments, "lambda")};
  s->rhs = bp_argument_string(arguments, "rhs");
  s->options = (bp_cg_options){
      .iterations = has_tolerance ? ITERATIONS_TO_TOLERANCE : ITERATIONS,
      .jacobi = strcmp(bp_argument_string(arguments, "preconditioner"), "jacobi") == 0};
  if (has_tolerance)
    s->options.tolerance = bp_argument_double(arguments, "tolerance");
  if (bp_argument_has(arguments, "iterations"))
    s->options.iterations = (int)bp_argument_int(arguments, "iterations");
  return BP_OK;
}

static bp_status make_load(solution *s)
{
  bp_system *system = s->assembled.system;
  size_t size = (size_t)bp_system_size(system);
  s->f = bp_alloc_array(size, sizeof *s->f);
  s->u = bp_alloc_array(size, sizeof *s->u);
  if (strcmp(s->rhs, "manufactured") != 0 && strcmp(s->rhs, "constant") != 0)
    return bp_load_read(system, s->rhs, s->f);
  bp_load_create(system, strcmp(s->rhs, "constant") == 0 ? BP_LOAD_CONSTANT : BP_LOAD_MANUFACTURED,
                 s->f);
  return BP_OK;
}

static bp_status solve(solution *s)
{
  bp_system *system = s->assembled.system;
  bp_cg_solve(system, s->options, s->f, s->u, &s->result);
  const bp_cg_result *r = &s->result;
  double last = r->residuals[r->iterations], first = r->residuals[0];
  printf("reference: %d iterations%s, residual %.3g of the first, true %.3g\n", r->iterations,
         s->options.jacobi ? " with jacobi" : "", first > 0 ? last / first : 0, r->true_residual);
  if (strcmp(s->rhs, "manufactured") == 0) {
    bp_load_error error = bp_load_compare(system, s->u);
    printf("L2 error %.3g, of the solution's norm %.3g\n", error.error, error.norm);
  }
  if (last <= s->options.tolerance * first || s->options.tolerance == 0)
    return BP_OK;
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
  if (!status)
    status = bp_assembled_write(a, "residuals", BP_NPY_FLOAT64, 1, shape, s->result.residuals);
  return status;
}

/* What has not converged is written, too; the exit code tells. */
static bp_status solve_and_write(solution *s)
{
  bp_assembled_print(&s->assembled);
  bp_status status = solve(s), written = write_files(s);
  return written ? written : status;
}

bp_status bp_command_solve(const bp_arguments *arguments)
{
  solution s = {0};
  bp_system_options options;
  bp_status status = read_arguments(&s, arguments, &options);
  if (!status)
    status = bp_assembled_create(arguments, "bp solve", options, &s.assembled);
  if (!status)
    status = make_load(&s);
  if (!status)
    status = solve_and_write(&s);
  bp_free(s.f);
  bp_free(s.u);
  bp_cg_result_destroy(&s.result);
  bp_assembled_destroy(&s.assembled);
  return status;
}
