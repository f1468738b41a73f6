/* cuda_plan.c -- making plans: compile, size, load, allocate; and all of it again after a lost
 * context. */
#include "kernel/cuda_plan.h"

#include "base/memory.h"
#include "kernel/cuda_shape.h"
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

static int64_t attribute_of(bp_cu_function function, int attribute)
{
  int value = -1;
  bp_cu.FuncGetAttribute(&value, attribute, function);
  return value;
}

static int64_t threads_of(const bp_cuda_shape *shape)
{
  return shape->threads[0] * shape->threads[1] * shape->threads[2];
}

/* The plan's details are those of its most demanding launch. */
static void note_details(bp_plan_details *details, const bp_cuda_shape *shape, int64_t registers,
                         int64_t local, int64_t shared, int blocks_per_sm)
{
#define RAISE(field, value) details->field = details->field > (value) ? details->field : (value)
  RAISE(registers, registers);
  RAISE(spill_bytes, local);
  RAISE(shared_bytes, shared);
  RAISE(blocks, shape->blocks);
  RAISE(threads, threads_of(shape));
#undef RAISE
  if (details->blocks_per_sm < 0 || details->blocks_per_sm > blocks_per_sm)
    details->blocks_per_sm = blocks_per_sm;
}

/* Whether the function can be launched in its shape; sets what it needs for that. */
static bool prepare_function(bp_cuda_plan *p, const char *kernel, bp_cu_function function,
                             const bp_cuda_shape *shape)
{
  int64_t registers = attribute_of(function, BP_CU_FUNCTION_REGISTERS);
  int64_t fixed = attribute_of(function, BP_CU_FUNCTION_SHARED_BYTES);
  int64_t most = attribute_of(function, BP_CU_FUNCTION_MAX_THREADS);
  int64_t limit = device_of(p)->info.shared_per_block;
  int blocks_per_sm = 0;
  if (threads_of(shape) > most) {
    bp_fail(BP_OK,
            "%s needs %lld threads of %lld registers per block; this device allows %lld threads",
            kernel, (long long)threads_of(shape), (long long)registers, (long long)most);
    return false;
  }
  if (fixed + shape->shared > limit ||
      bp_cu.FuncSetAttribute(function, BP_CU_FUNCTION_MAX_DYNAMIC_SHARED, (int)shape->shared)) {
    bp_fail(BP_OK, "%s needs %lld bytes of shared memory per block; this device allows %lld",
            kernel, (long long)(fixed + shape->shared), (long long)limit);
    return false;
  }
  bp_cu.OccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, function, (int)threads_of(shape),
                                                  (size_t)shape->shared);
  if (blocks_per_sm == 0) {
    bp_fail(BP_OK, "%s: not one block fits on a multiprocessor of this device", kernel);
    return false;
  }
  note_details(&p->base.details, shape, registers,
               attribute_of(function, BP_CU_FUNCTION_LOCAL_BYTES), fixed + shape->shared,
               blocks_per_sm);
  return true;
}

static bp_status load_functions(bp_cuda_plan *p, bool *fits)
{
  const bp_variant *variant = p->base.choice.variant;
  char text[200];
  bp_cu_result result = bp_cu.ModuleLoadData(&p->module, p->code->image);
  if (result)
    return bp_fail(BP_ENVIRONMENT, "cuda: loading %s: %s", variant->text->file,
                   bp_cuda_error(result, text));
  *fits = true;
  for (int n = 0; n < variant->launches_count && *fits; ++n) {
    const char *kernel = variant->launches[n].kernel;
    result = bp_cu.ModuleGetFunction(&p->functions[n], p->module, kernel);
    if (result)
      return bp_fail(BP_ENVIRONMENT, "%s: its header launches %s, which it does not hold: %s",
                     variant->text->file, kernel, bp_cuda_error(result, text));
    *fits = prepare_function(p, kernel, p->functions[n], &p->shapes[n]);
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
  p->arguments.elements = (int)problem->elements;
  p->arguments.degree = problem->basis.degree;
  p->arguments.lambda = problem->lambda;
  p->arguments.I = w->I.data;
  p->arguments.D = w->D.data;
  p->arguments.u = w->u.data;
  p->arguments.v = w->v.data;
  return bp_cuda_workspace_factors(w, &layout, &p->base.details, &p->arguments.factors);
}

/* Zeros, so that arithmetic on them stays finite. */
static bp_status create_machine_arrays(bp_cuda_plan *p)
{
  bp_cuda_device *d = device_of(p);
  bp_status status = bp_cuda_array_create(d, "the array read", p->doubles, false, &p->from);
  if (!status)
    status = bp_cuda_array_create(d, "the array written", p->doubles, false, &p->to);
  if (status)
    return status;
  bp_cu.MemsetD32Async(p->from.data, 0, 2 * (size_t)p->doubles, d->stream);
  bp_cu.MemsetD32Async(p->to.data, 0, 2 * (size_t)p->doubles, d->stream);
  p->arguments.u = p->from.data;
  p->arguments.v = p->to.data;
  return bp_cuda_finish(d, "clearing an array");
}

static bp_status create_scratch(bp_cuda_plan *p)
{
  bp_cuda_device *d = device_of(p);
  if (!p->scratch_count)
    return BP_OK;
  bool guarded = p->base.workspace && workspace_of(p)->guarded;
  bp_status status = bp_cuda_array_create(d, "scratch", p->scratch_count, guarded, &p->scratch);
  p->arguments.scratch = p->scratch.data;
  return status ? status : bp_cuda_array_poison(d, &p->scratch);
}

/* ---- binding to the context ---- */

/* Frees what the present context holds for the plan; an older one took it along. */
static void unbind(bp_cuda_plan *p)
{
  if (p->generation == device_of(p)->generation) {
    if (p->graph)
      bp_cu.GraphExecDestroy(p->graph);
    if (p->module)
      bp_cu.ModuleUnload(p->module);
    bp_cuda_array_destroy(&p->scratch);
    bp_cuda_array_destroy(&p->from);
    bp_cuda_array_destroy(&p->to);
  }
  p->graph = NULL;
  p->module = NULL;
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

/* ptxas refuses what no device could hold; that is no mistake in the text. */
static bool is_too_large(const char *message)
{
  return strstr(message, "too much shared data") != NULL;
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
  if (status && is_too_large(bp_message())) {
    *fits = false;
    return bp_fail(BP_OK,
                   "needs more than the 49152 bytes of static shared memory that a block may have");
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
  p->arguments.elements = (int)elements;
  p->arguments.degree = 1;
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
  if (bp_cuda_enter(device_of(p)) == BP_OK)
    unbind(p);
  bp_free(p);
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
