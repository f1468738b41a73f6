/* solve.c -- whole solves, and what they precondition with. */
#include "lib/library.h"

#include "base/memory.h"
#include "device/cuda/cuda.h"
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

void libbp_forget_solver(libbp_operator *a)
{
  bp_plan_destroy(a->solver);
  bp_scheme_destroy(a->scheme);
  bp_system_destroy(a->system);
  bp_free(a->f);
  a->solver = NULL;
  a->scheme = NULL;
  a->system = NULL;
  a->f = NULL;
}

/* What was made from memory that the caller refused goes. */
static bp_status leave(libbp_operator *a, bp_status status, void *current)
{
  const bp_status left = libbp_leave(status);
  if (left && !status)
    libbp_forget_solver(a);
  bp_cuda_make_current(current);
  return left;
}

libbp_status libbp_operator_diagonal(libbp_operator *a, double *diagonal)
{
  bp_status status = diagonal ? libbp_given(a, "an operator") : libbp_given(NULL, "an array");
  if (status)
    return libbp_failed(status, "libbp_operator_diagonal");
  void *current = bp_cuda_current();
  libbp_enter(a->context);
  status = make_system(a);
  if (!status && libbp_is_gpu(a->context)) {
    const bp_device *device = a->context->device;
    const int64_t bytes = a->count * (int64_t)sizeof *diagonal;
    double *own = bp_alloc_array((size_t)bytes, 1);
    bp_system_diagonal(a->system, own);
    status =
        device->backend->write(a->context->device, (bp_address)(uintptr_t)diagonal, own, bytes);
    bp_free(own);
  } else if (!status) {
    bp_system_diagonal(a->system, diagonal);
  }
  return libbp_failed(leave(a, status, current), "libbp_operator_diagonal");
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

/* ---- on a GPU the vectors stay there ---- */

static bp_status run(libbp_operator *a, const bp_step *steps, int count)
{
  bp_device *device = a->context->device;
  const bp_run once = {.steps = steps, .steps_count = count, .repetitions = 1};
  return device->backend->run(device, &once, "libbp_solve", NULL);
}

/* Component c of a vector of the caller's, and of one of the scheme's. */
static bp_step copy_of(const libbp_operator *a, int c, bp_address from, int64_t from_stride,
                       bp_address to, int64_t to_stride)
{
  const bp_address item = sizeof(double);
  bp_step step;
  bp_step_start(&step, BP_STEP_COPY);
  step.from = from + (bp_address)(c * from_stride) * item;
  step.to = to + (bp_address)(c * to_stride) * item;
  step.bytes = a->count * (int64_t)item;
  return step;
}

static bp_status take_on(libbp_operator *a, const double *f)
{
  const bp_address own = a->scheme->workspace->arrays[BP_OPERAND_f].data;
  bp_status status = libbp_make_lists(a, NULL);
  for (int c = 0; c < a->fields && !status; ++c) {
    bp_step steps[2] = {copy_of(a, c, (bp_address)(uintptr_t)f, a->stride, own, a->scheme->stride),
                        libbp_lists_step(a->lists, LIBBP_FREE_ONLY, c, a->scheme->stride, 0)};
    libbp_step_bind(&steps[1], BP_OPERAND_vector, own);
    status = run(a, steps, 2);
  }
  return status;
}

static bp_status give_on(libbp_operator *a, double *x)
{
  const bp_address own = a->scheme->workspace->arrays[BP_OPERAND_x].data;
  bp_status status = BP_OK;
  for (int c = 0; c < a->fields && !status; ++c) {
    const bp_step step = copy_of(a, c, own, a->scheme->stride, (bp_address)(uintptr_t)x, a->stride);
    status = run(a, &step, 1);
  }
  return status;
}

/* ---- solving ---- */

static bp_status make_solver(libbp_operator *a)
{
  bp_device *device = a->context->device;
  const bool is_gpu = libbp_is_gpu(a->context);
  bp_choice choice;
  bp_status status = BP_OK;
  if (a->solver)
    return BP_OK;
  if (!a->scheme)
    status = bp_scheme_create(device, a->system, is_gpu ? NULL : a->f, false, &a->scheme);
  libbp_lock();
  if (!status)
    status = libbp_best(device, a->system->problem->op, a->row, a->system->problem->space,
                        a->of->mesh->elements, NULL, &choice);
  if (!status && is_gpu && bp_variant_takes(choice.variant, BP_OPERAND_bounds))
    status = bp_fail(BP_ENVIRONMENT, "%s is made for ranks", choice.variant->id);
  if (!status)
    status = bp_scheme_plan(a->scheme, &choice, &a->solver);
  libbp_unlock();
  return status || !is_gpu ? status
                           : bp_array_clear(device, &a->scheme->workspace->arrays[BP_OPERAND_f]);
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

static bp_status solve(libbp_operator *a, const double *f, double *x,
                       const libbp_solve_options *options, libbp_solve_result *result)
{
  const bool is_gpu = libbp_is_gpu(a->context);
  bool reached = false;
  double *residuals = bp_alloc_array(MOST + 1, sizeof *residuals);
  bp_status status =
      is_gpu ? take_on(a, f) : bp_workspace_update(a->scheme->workspace, BP_OPERAND_f);
  a->solver->iterations = options->iterations;
  if (!status)
    status = bp_scheme_run_past(a->scheme, a->solver, options->tolerance, is_gpu ? NULL : x,
                                residuals, &reached);
  if (!status && is_gpu)
    status = give_on(a, x);
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
  if (status)
    return libbp_failed(status, "libbp_solve");
  void *current = bp_cuda_current();
  libbp_enter(a->context);
  status = make_system(a);
  if (!status && !libbp_is_gpu(a->context))
    take(a, f);
  if (!status)
    status = make_solver(a);
  if (!status)
    status = solve(a, f, x, &options, &result);
  status = leave(a, status, current);
  if (given_result && (!status || status == BP_WRONG)) {
    result.size = given_result->size;
    memcpy(given_result, &result, result.size);
  }
  return libbp_failed(status, "libbp_solve");
}
