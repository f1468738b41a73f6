/* solve.c -- whole solves, and what they precondition with. */
#include "lib/library.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST = 100000 }; /* iterations */

static bp_status make_system(libbp_operator *a)
{
  const bp_system_options options = {
      .row = a->row, .space = a->space, .lambda = a->lambda, .iterations = MOST};
  if (!a->unknowns)
    return bp_fail(BP_BAD_INPUT, "expected an operator on unknowns in libbp's numbers");
  return a->system ? BP_OK : bp_system_create_fixed(options, a->fixed, a->of->mesh, &a->system);
}

libbp_status libbp_operator_diagonal(libbp_operator *a, double *diagonal)
{
  bp_status status = make_system(a);
  if (!status)
    bp_system_diagonal(a->system, diagonal);
  return libbp_failed(status, "libbp_operator_diagonal");
}

/* f, 0 where unknowns are fixed. */
static void take(libbp_operator *a, const double *f)
{
  const int64_t count = a->unknowns->count;
  if (!a->f)
    a->f = bp_alloc_array((size_t)bp_system_size(a->system), sizeof *a->f);
  uint8_t *is_fixed = bp_alloc((size_t)count, sizeof *is_fixed);
  bp_unknowns_fixed(a->unknowns, is_fixed);
  for (int64_t n = 0; n < bp_system_size(a->system); ++n)
    a->f[n] = is_fixed[n % count] ? 0 : f[n];
  bp_free(is_fixed);
}

/* For the f that was taken. */
static bp_status make_solver(libbp_operator *a)
{
  bp_device *device = a->of->context->device;
  bp_choice choice;
  bp_status status = BP_OK;
  if (a->solver)
    return BP_OK;
  if (!a->scheme)
    status = bp_scheme_create(device, a->system, a->f, false, &a->scheme);
  if (!status)
    status = libbp_best(device, a->system->problem->op, a->row, a->system->problem->space,
                        a->of->mesh->elements, NULL, &choice);
  return status ? status : bp_scheme_plan(a->scheme, &choice, &a->solver);
}

static bp_status options_of(const libbp_solve_options *given, libbp_solve_options *options)
{
  *options = (libbp_solve_options)LIBBP_SOLVE_OPTIONS;
  if (given && (given->size < sizeof(size_t) || given->size > sizeof *options))
    return bp_fail(BP_BAD_INPUT, "expected options of at most %zu bytes, found %zu",
                   sizeof *options, given->size);
  if (given)
    memcpy(options, given, given->size);
  if (!(options->tolerance > 0 && options->tolerance < 1))
    return bp_fail(BP_BAD_INPUT, "tolerance: expected a number between 0 and 1, found %g",
                   options->tolerance);
  return options->iterations > 0 && options->iterations <= MOST
             ? BP_OK
             : bp_fail(BP_BAD_INPUT, "iterations: expected 1 to %d, found %d", MOST,
                       options->iterations);
}

static bp_status solve(libbp_operator *a, double *x, const libbp_solve_options *options,
                       libbp_solve_result *result)
{
  bool reached = false;
  double *residuals = bp_alloc_array(MOST + 1, sizeof *residuals);
  bp_status status = bp_workspace_update(a->scheme->workspace, BP_OPERAND_f);
  a->solver->iterations = options->iterations;
  if (!status)
    status = bp_scheme_run_to(a->scheme, a->solver, options->tolerance, x, residuals, &reached);
  if (!status) {
    result->iterations = a->solver->iterations;
    result->first = residuals[0];
    result->last = residuals[a->solver->iterations];
  }
  if (!status && !reached)
    status =
        bp_fail(BP_WRONG, "expected a residual of %g of the first within %d iterations, found %.3g",
                options->tolerance, options->iterations, result->last / result->first);
  bp_free(residuals);
  return status;
}

libbp_status libbp_solve(libbp_operator *a, const double *f, double *x,
                         const libbp_solve_options *given, libbp_solve_result *given_result)
{
  libbp_solve_options options;
  libbp_solve_result result = LIBBP_SOLVE_RESULT;
  bp_status status = f && x ? libbp_given(a, "an operator") : libbp_given(NULL, "two arrays");
  if (!status)
    status = options_of(given, &options);
  if (!status && given_result &&
      (given_result->size < sizeof(size_t) || given_result->size > sizeof result))
    status = bp_fail(BP_BAD_INPUT, "expected a result of at most %zu bytes, found %zu",
                     sizeof result, given_result->size);
  if (!status)
    status = make_system(a);
  if (!status) {
    take(a, f);
    status = make_solver(a);
  }
  if (!status)
    status = solve(a, x, &options, &result);
  if (given_result && (!status || status == BP_WRONG)) {
    result.size = given_result->size;
    memcpy(given_result, &result, result.size);
  }
  return libbp_failed(status, "libbp_solve");
}
