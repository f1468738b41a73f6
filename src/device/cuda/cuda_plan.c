/* cuda_plan.c -- making plans: compile, size, load, allocate; and all of it again after a lost
 * context. */
#include "device/cuda/cuda_plan.h"

#include "base/memory.h"
#include "device/cuda/cuda_shape.h"
#include <math.h>
#include <string.h>

static bp_cuda_device *device_of(const bp_cuda_plan *p)
{
  return (bp_cuda_device *)p->base.device;
}

static bp_cuda_workspace *workspace_of(const bp_cuda_plan *p)
{
  return (bp_cuda_workspace *)p->base.workspace;
}

/* ---- functions ---- */

static int64_t threads_of(const bp_cuda_shape *shape)
{
  return shape->threads[0] * shape->threads[1] * shape->threads[2];
}

/* The plan's details are those of its most demanding launch. */
static void note_details(bp_plan_details *details, const bp_cuda_shape *shape,
                         const bp_cuda_function_info *info, int blocks_per_sm)
{
#define RAISE(field, value) details->field = details->field > (value) ? details->field : (value)
  RAISE(registers, info->registers);
  RAISE(spill_bytes, info->local_bytes);
  RAISE(shared_bytes, info->shared_bytes + shape->shared);
  RAISE(blocks, shape->blocks);
  RAISE(threads, threads_of(shape));
#undef RAISE
  if (details->blocks_per_sm < 0 || details->blocks_per_sm > blocks_per_sm)
    details->blocks_per_sm = blocks_per_sm;
}

static void note_launch(bp_cuda_work *work, const bp_cuda_shape *shape, bp_cuda_function function)
{
  bp_cuda_launch *launch = &work->launches[work->launches_count++];
  launch->function = function;
  launch->blocks = (uint32_t)shape->blocks;
  launch->shared = (uint32_t)shape->shared;
  for (int n = 0; n < 3; ++n)
    launch->threads[n] = (uint32_t)shape->threads[n];
}

/* Whether the function can be launched in its shape; if so, it becomes a launch of the plan's work. */
static bool add_launch(bp_cuda_plan *p, const char *kernel, const bp_cuda_function_info *info,
                       const bp_cuda_shape *shape)
{
  bp_cuda_device *d = device_of(p);
  int64_t limit = d->info.shared_per_block, shared = info->shared_bytes + shape->shared;
  int blocks_per_sm = 0;
  if (threads_of(shape) > info->threads_max) {
    bp_fail(BP_OK,
            "%s needs %lld threads of %lld registers per block; this device allows %lld threads",
            kernel, (long long)threads_of(shape), (long long)info->registers,
            (long long)info->threads_max);
    return false;
  }
  if (shared > limit || d->calls->shape(d->context, info->function, (int)threads_of(shape),
                                        (size_t)shape->shared, &blocks_per_sm)) {
    bp_fail(BP_OK, "%s needs %lld bytes of shared memory per block; this device allows %lld",
            kernel, (long long)shared, (long long)limit);
    return false;
  }
  if (blocks_per_sm == 0) {
    bp_fail(BP_OK, "%s: not one block fits on a multiprocessor of this device", kernel);
    return false;
  }
  note_details(&p->base.details, shape, info, blocks_per_sm);
  note_launch(&p->work, shape, info->function);
  return true;
}

static bp_status load_functions(bp_cuda_plan *p, bool *fits)
{
  bp_cuda_device *d = device_of(p);
  const bp_variant *variant = p->base.choice.variant;
  bp_cuda_function_info info;
  char text[200];
  bp_cu_result result = d->calls->load(d->context, p->code->image, p->code->size, &p->module);
  if (result)
    return bp_fail(BP_ENVIRONMENT, "cuda: loading %s: %s", variant->text->file,
                   bp_cuda_error(result, text));
  *fits = true;
  p->work.launches_count = 0;
  for (int n = 0; n < variant->launches_count && *fits; ++n) {
    const char *kernel = variant->launches[n].kernel;
    result = d->calls->find(d->context, p->module, kernel, &info);
    if (result)
      return bp_fail(BP_ENVIRONMENT, "%s: its header launches %s, which it does not hold: %s",
                     variant->text->file, kernel, bp_cuda_error(result, text));
    *fits = add_launch(p, kernel, &info, &p->shapes[n]);
  }
  return BP_OK;
}

/* ---- arrays ---- */

static bp_status bind_workspace(bp_cuda_plan *p)
{
  bp_cuda_workspace *w = workspace_of(p);
  const bp_problem *problem = w->base.problem;
  bp_layout layout;
  bp_status status = bp_layout_parse(p->base.choice.variant->factors, 1, &layout);
  if (status)
    return bp_fail_at(status, p->base.choice.variant->text->file);
  p->work.elements = (int32_t)problem->elements;
  p->work.degree = problem->basis.degree;
  p->work.lambda = problem->lambda;
  p->work.I = w->I.data;
  p->work.D = w->D.data;
  p->work.u = w->u.data;
  p->work.v = w->v.data;
  return bp_cuda_workspace_factors(w, &layout, &p->base.details, &p->work.factors);
}

/* Zeros, so that arithmetic on them stays finite. */
static bp_status create_machine_arrays(bp_cuda_plan *p)
{
  bp_cuda_device *d = device_of(p);
  bp_status status = bp_cuda_array_create(d, "the array read", p->doubles, false, &p->from);
  if (!status)
    status = bp_cuda_array_create(d, "the array written", p->doubles, false, &p->to);
  if (!status)
    status = bp_cuda_array_clear(d, &p->from);
  if (!status)
    status = bp_cuda_array_clear(d, &p->to);
  p->work.u = p->from.data;
  p->work.v = p->to.data;
  p->work.bytes = (uint64_t)p->doubles * sizeof(double);
  return status;
}

static bp_status create_scratch(bp_cuda_plan *p)
{
  bp_cuda_device *d = device_of(p);
  if (!p->scratch_count)
    return BP_OK;
  bool guarded = p->base.workspace && workspace_of(p)->guarded;
  bp_status status = bp_cuda_array_create(d, "scratch", p->scratch_count, guarded, &p->scratch);
  p->work.scratch = p->scratch.data;
  return status ? status : bp_cuda_array_poison(d, &p->scratch);
}

/* ---- binding to the context ---- */

/* Frees what the present context holds for the plan; an older one took it along. */
static void unbind(bp_cuda_plan *p)
{
  bp_cuda_device *d = device_of(p);
  if (d->context && p->generation == d->generation) {
    if (p->module)
      d->calls->unload(d->context, p->module);
    bp_cuda_array_destroy(d, &p->scratch);
    bp_cuda_array_destroy(d, &p->from);
    bp_cuda_array_destroy(d, &p->to);
  }
  p->module = 0;
  p->scratch = p->from = p->to = (bp_cuda_array){0};
  p->generation = -1;
}

static bp_status bind(bp_cuda_plan *p, bool *fits)
{
  bp_status status = BP_OK;
  *fits = true;
  p->generation = device_of(p)->generation;
  if (p->code)
    status = load_functions(p, fits);
  if (!status && *fits)
    status = p->base.workspace ? bind_workspace(p) : create_machine_arrays(p);
  return status || !*fits ? status : create_scratch(p);
}

bp_status bp_cuda_plan_ready(bp_cuda_plan *plan)
{
  bool fits;
  bp_status status = plan->base.workspace ? bp_cuda_workspace_ready(workspace_of(plan))
                                          : bp_cuda_enter(device_of(plan));
  if (status || plan->generation == device_of(plan)->generation)
    return status;
  unbind(plan);
  status = bind(plan, &fits);
  return !status && !fits ? BP_ENVIRONMENT : status;
}

/* ---- making and destroying ---- */

static bp_cuda_plan *new_plan(bp_cuda_device *device, const bp_choice *choice)
{
  bp_cuda_plan *p = bp_alloc(1, sizeof *p);
  p->base.device = &device->base;
  p->base.choice = *choice;
  p->base.details = (bp_plan_details){-1, -1, -1, -1, -1, -1, 0, 0, 0};
  p->generation = -1;
  return p;
}

static bp_status compile(bp_cuda_plan *p, const bp_operator *op, int degree, bool *fits)
{
  bp_jit_request request = {
      .choice = p->base.choice,
      .op = op,
      .degree = degree,
      .sm = device_of(p)->info.sm,
  };
  bp_status status = bp_jit_compile(&request, &p->code);
  if (status && p->code && p->code->too_large) { /* a limit of the device, no mistake in the text */
    *fits = false;
    return BP_OK;
  }
  if (!status)
    p->base.details.compile_seconds = p->code->seconds;
  return status;
}

/* Sizes, compiles and binds; the plan is destroyed unless it is complete. */
static bp_status complete(bp_cuda_plan *p, const bp_operator *op, int degree, int64_t elements,
                          bp_cuda_plan **plan)
{
  bp_cuda_limits limits = bp_cuda_limits_of(device_of(p));
  bool fits = true;
  bp_status status = BP_OK;
  *plan = NULL;
  if (p->base.choice.variant)
    status = bp_cuda_shapes(&limits, &p->base.choice, op, degree, elements, p->shapes,
                            &p->scratch_count, &fits);
  if (!status && fits && p->base.choice.variant)
    status = compile(p, op, degree, &fits);
  if (!status && fits)
    status = bind(p, &fits);
  if (status)
    bp_cuda_revive(device_of(p)); /* for the plans that come after */
  if (status || !fits)
    bp_cuda_plan_destroy(&p->base);
  else
    *plan = p;
  return status;
}

bp_status bp_cuda_plan_create(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan)
{
  bp_cuda_workspace *w = (bp_cuda_workspace *)workspace;
  const bp_problem *problem = workspace->problem;
  bp_status status = bp_cuda_workspace_ready(w);
  if (status)
    return status;
  bp_cuda_plan *p = new_plan((bp_cuda_device *)workspace->device, choice);
  p->base.workspace = workspace;
  p->next = w->plans;
  w->plans = p;
  status = complete(p, problem->op, problem->basis.degree, problem->elements, &p);
  *plan = p ? &p->base : NULL;
  return status;
}

bp_status bp_cuda_machine_plan(bp_cuda_device *device, const bp_choice *choice, int64_t elements,
                               int64_t doubles, bp_cuda_plan **plan)
{
  bp_status status = bp_cuda_enter(device);
  *plan = NULL;
  if (status)
    return status;
  bp_cuda_plan *p = new_plan(device, choice);
  p->doubles = doubles;
  p->work.elements = (int32_t)elements;
  p->work.degree = 1;
  return complete(p, NULL, 1, elements, plan);
}

void bp_cuda_plan_destroy(bp_plan *plan)
{
  bp_cuda_plan *p = (bp_cuda_plan *)plan;
  if (p->base.workspace) {
    bp_cuda_plan **at = &workspace_of(p)->plans;
    while (*at != p)
      at = &(*at)->next;
    *at = p->next;
  }
  unbind(p);
  bp_free(p);
}

bool bp_cuda_fits(const bp_device *device, const bp_choice *choice, const bp_operator *op,
                  int degree, int64_t elements, bp_launch_size *size)
{
  bp_cuda_limits limits = bp_cuda_limits_of((const bp_cuda_device *)device);
  bp_cuda_shape shapes[BP_LAUNCHES_MAX];
  int64_t scratch;
  bool fits;
  bp_status status = bp_cuda_shapes(&limits, choice, op, degree, elements, shapes, &scratch, &fits);
  *size = (bp_launch_size){0};
  for (int n = 0; n < choice->variant->launches_count && !status && fits; ++n) {
    size->threads = threads_of(&shapes[n]) > size->threads ? threads_of(&shapes[n]) : size->threads;
    size->shared = shapes[n].shared > size->shared ? shapes[n].shared : size->shared;
  }
  return !status && fits;
}

void bp_cuda_prepare(bp_device *device, const bp_choice *choices, const bp_operator *const *op,
                     const int *degree, int count)
{
  const bp_cuda_device *d = (const bp_cuda_device *)device;
  bp_cuda_limits limits = bp_cuda_limits_of(d);
  bp_jit_request *requests = bp_alloc((size_t)count, sizeof *requests);
  int wanted = 0;
  for (int n = 0; n < count; ++n) {
    bp_cuda_shape shapes[BP_LAUNCHES_MAX];
    int64_t scratch;
    bool fits;
    if (bp_cuda_shapes(&limits, &choices[n], op[n], degree[n], 1, shapes, &scratch, &fits) ==
            BP_OK &&
        fits)
      requests[wanted++] = (bp_jit_request){choices[n], op[n], degree[n], d->info.sm};
  }
  bp_jit_compile_all(requests, wanted, 0);
  bp_free(requests);
}
