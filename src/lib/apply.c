/* apply.c -- an operator on the caller's arrays. */
#include "lib/library.h"

#include "device/cuda/cuda.h"
#include <string.h>

static bool is_aligned(const void *p)
{
  return (uintptr_t)p % 64 == 0;
}

/* An application in batches. */
typedef struct {
  const libbp_operator *a;
  double alpha, beta;
  const double *u;
  double *v;
} application;

static void take(void *of, int field, int64_t first, int64_t last, double *u)
{
  const application *x = of;
  const int64_t nodes = bp_space_nodes(x->a->space);
  if (x->a->numbers)
    libbp_numbers_take(x->a->numbers, first, last, x->u + field * x->a->stride,
                       x->v + field * x->a->stride, u);
  else
    memcpy(u, x->u + first * nodes, (size_t)((last - first) * nodes) * sizeof *u);
}

static void add(void *of, int field, int64_t first, int64_t last, const double *v)
{
  const application *x = of;
  const int64_t nodes = bp_space_nodes(x->a->space);
  double *to = x->v + first * nodes;
  if (x->a->numbers)
    libbp_numbers_add(x->a->numbers, field, first, last, x->alpha, v, x->beta,
                      x->v + field * x->a->stride);
  else
    for (int64_t n = 0; n < (last - first) * nodes; ++n)
      to[n] = x->beta == 0 ? x->alpha * v[n] : x->alpha * v[n] + x->beta * to[n];
}

static void apply_in_batches(libbp_operator *a, double alpha, const double *u, double beta,
                             double *v)
{
  application x = {.a = a, .alpha = alpha, .beta = beta, .u = u, .v = v};
  a->batches.of = &x;
  a->batches.before = take;
  a->batches.after = add;
  bp_batches_run(a->context->device, a->plan->steps, bp_space_nodes(a->space), &a->batches);
  for (int c = 0; a->numbers && c < a->fields; ++c, v += a->stride) {
    libbp_numbers_join(a->numbers, c, beta, v);
    for (int64_t n = 0; a->unknowns && n < a->unknowns->fixed; ++n)
      v[a->fixed_list[n]] = beta == 0 ? 0 : beta * v[a->fixed_list[n]];
  }
}

static void bind(libbp_operator *a, const double *u, double *v)
{
  bp_plan_bind(a->plan, BP_OPERAND_u, (bp_address)(uintptr_t)u);
  bp_plan_bind(a->plan, BP_OPERAND_v, (bp_address)(uintptr_t)v);
}

libbp_status libbp_operator_apply(libbp_operator *a, double alpha, const double *u, double beta,
                                  double *v)
{
  bp_status status = libbp_given(a, "an operator");
  if (!status && (!u || !v || u == v))
    status = bp_fail(BP_BAD_INPUT, "expected two arrays, found %s", u && v ? "one" : "NULL");
  if (!status && libbp_is_gpu(a->context))
    status =
        bp_fail(BP_BAD_INPUT, "expected an operator on a CPU; a GPU has libbp_operator_apply_on");
  if (status)
    return libbp_failed(status, "libbp_operator_apply");
  if (a->numbers || alpha != 1 || beta != 0 || !is_aligned(u) || !is_aligned(v)) {
    apply_in_batches(a, alpha, u, beta, v);
    return LIBBP_OK;
  }
  bind(a, u, v);
  const bp_run once = {
      .steps = a->plan->steps, .steps_count = a->plan->steps_count, .repetitions = 1};
  status = a->context->device->backend->run(a->context->device, &once, a->plan->choice.variant->id,
                                            NULL);
  return libbp_failed(status, "libbp_operator_apply");
}

bp_status libbp_issue(libbp_context *context, const bp_step *steps, int count, void *stream,
                      const char *what)
{
  bp_device *device = context->device;
  if (device->backend == &bp_backend_cuda)
    return bp_cuda_issue_steps(device, steps, count, stream, what);
  const bp_run once = {.steps = steps, .steps_count = count, .repetitions = 1};
  return device->backend->run(device, &once, what, NULL);
}

/* Of mapped kernels, the last of them u . v. */
enum { SCALE, APPLY, SURFACE, ENERGY };

/* The first step of an application. */
static bp_step *steps_of(const libbp_operator *a)
{
  return a->steps ? a->steps : a->plan->steps + (a->mapped && !a->mapped->atomic ? APPLY : SCALE);
}

/* Returns how many steps there are. */
static int bind_steps(libbp_operator *a, double alpha, const double *u, double beta, double *v)
{
  for (int n = SCALE; n < ENERGY && a->mapped; ++n) {
    libbp_step_bind(&a->plan->steps[n], BP_OPERAND_vector_u, (uint64_t)(uintptr_t)u);
    libbp_step_bind(&a->plan->steps[n], BP_OPERAND_vector, (uint64_t)(uintptr_t)v);
    libbp_step_bind_number(&a->plan->steps[n], BP_OPERAND_alpha, alpha);
    libbp_step_bind_number(&a->plan->steps[n], BP_OPERAND_beta, beta);
  }
  if (a->mapped)
    return 2;
  const int each = a->plan->steps_count + 2;
  for (int c = 0; c < a->fields; ++c) {
    bp_step *take = a->steps + c * each, *add = take + each - 1;
    libbp_step_bind(take, BP_OPERAND_vector, (uint64_t)(uintptr_t)u);
    libbp_step_bind(add, BP_OPERAND_vector, (uint64_t)(uintptr_t)v);
    libbp_step_bind_number(add, BP_OPERAND_alpha, alpha);
    libbp_step_bind_number(add, BP_OPERAND_beta, beta);
  }
  return a->fields * each;
}

static bp_status check_on(const libbp_operator *a, double alpha, const double *u, double beta,
                          const double *v)
{
  if (!a)
    return libbp_given(a, "an operator");
  if (!libbp_is_gpu(a->context))
    return bp_fail(BP_BAD_INPUT, "expected an operator on a GPU; a CPU has libbp_operator_apply");
  if (!u || !v || u == v)
    return bp_fail(BP_BAD_INPUT, "expected two arrays, found %s", u && v ? "one" : "NULL");
  if (a->layout == LIBBP_UNKNOWNS)
    return BP_OK;
  if (alpha != 1 || beta != 0)
    return bp_fail(BP_BAD_INPUT, "expected alpha 1 and beta 0 on elements, found %g and %g", alpha,
                   beta);
  return is_aligned(u) && is_aligned(v)
             ? BP_OK
             : bp_fail(BP_BAD_INPUT, "expected arrays that begin at multiples of 64 bytes");
}

libbp_status libbp_operator_apply_on(libbp_operator *a, void *stream, double alpha, const double *u,
                                     double beta, double *v)
{
  bp_status status = check_on(a, alpha, u, beta, v);
  if (!status) {
    int count = a->plan->steps_count;
    if (a->layout == LIBBP_UNKNOWNS)
      count = bind_steps(a, alpha, u, beta, v);
    else
      bind(a, u, v);
    status = libbp_issue(a->context, steps_of(a), count, stream, a->plan->choice.variant->id);
  }
  return libbp_failed(status, "libbp_operator_apply_on");
}

libbp_status libbp_operator_apply_dot_on(libbp_operator *a, void *stream, const double *u,
                                         double *v, double *dot)
{
  bp_status status = check_on(a, 1, u, 0, v);
  if (!status && a->layout != LIBBP_UNKNOWNS)
    status = bp_fail(BP_BAD_INPUT, "layout: expected LIBBP_UNKNOWNS");
  if (!status)
    status = libbp_given(dot, "a place for u . v");
  if (!status) {
    bp_step last[2];
    const char *what = a->plan->choice.variant->id;
    const int count = bind_steps(a, 1, u, 0, v);
    status = libbp_issue(a->context, steps_of(a), count, stream, what);
    if (!status && a->mapped) {
      libbp_step_bind(&a->plan->steps[ENERGY], BP_OPERAND_vector, (uint64_t)(uintptr_t)dot);
      status = libbp_issue(a->context, &a->plan->steps[ENERGY], 1, stream, what);
    } else if (!status) {
      libbp_lists_product(a->lists, a->fields, a->stride, (bp_address)(uintptr_t)u,
                          (bp_address)(uintptr_t)v, (bp_address)(uintptr_t)dot, last);
      status = libbp_issue(a->context, last, 2, stream, what);
    }
  }
  return libbp_failed(status, "libbp_operator_apply_dot_on");
}
