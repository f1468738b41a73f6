/* plan.c -- from a choice to steps: compile, size, load, bind arrays; and all of it again after a lost
 * device. */
#include "device/plan.h"

#include "base/memory.h"
#include "fem/pair.h"
#include <math.h>
#include <string.h>

/* ---- steps ---- */

static int64_t most(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static void note_details(bp_plan *p, const bp_shape *shape, const bp_function_info *info)
{
  bp_plan_details *d = &p->details;
  bool launches = p->build.choice.variant->language == BP_LANGUAGE_CUDA;
  d->registers = most(d->registers, info->registers);
  d->spill_bytes = most(d->spill_bytes, info->spill_bytes);
  if (launches) {
    d->shared_bytes = most(d->shared_bytes, most(info->shared_bytes, 0) + shape->shared);
    d->blocks = most(d->blocks, shape->blocks);
  }
  d->threads = most(d->threads, launches ? bp_shape_threads(shape) : shape->blocks);
  if (d->blocks_per_sm < 0 || d->blocks_per_sm > info->blocks_per_sm)
    d->blocks_per_sm = info->blocks_per_sm;
}

static bp_status add_launch(bp_plan *p, int n)
{
  const bp_variant *variant = p->choice.variant;
  const bp_launch *launch = &variant->launches[n < variant->launches_count ? n : 0];
  bp_function_info info;
  bp_step *step = &p->steps[n];
  bp_status status =
      p->device->backend->find(p->device, p->module, launch->kernel, &p->shapes[n], &info);
  if (status)
    return status;
  bp_step_start(step, BP_STEP_LAUNCH);
  p->phases[n] = launch->phase;
  step->function = info.function;
  step->shape = p->shapes[n];
  step->elements = p->elements;
  step->degree = p->build.space.degree;
  step->nq = step->degree + 1;
  step->nc = p->build.space.points;
  step->launch = n;
  step->fields = p->build.space.fields;
  step->is_solve = p->workspace && p->workspace->problem->unknowns;
  step->lambda = p->workspace ? p->workspace->problem->lambda : 0;
  memcpy(step->option, p->choice.option, sizeof step->option);
  note_details(p, &p->shapes[n], &info);
  return BP_OK;
}

static bp_status load_functions(bp_plan *p)
{
  bp_code_info code = {0, -1};
  p->steps_count = 0;
  bp_status status = p->device->backend->load(p->device, &p->build, &p->module, &code);
  if (p->details.compile_seconds == 0)
    p->details.compile_seconds = code.compile_seconds;
  p->details.code_bytes = code.bytes;
  for (int n = 0; n < p->launches && !status; ++n) {
    status = add_launch(p, n);
    p->steps_count += !status;
  }
  return status;
}

/* ---- arrays ---- */

/* Scratch of the choice: its count may depend on options. */
static bp_status count_scratch(const bp_plan *p, int operand, int64_t *count)
{
  bp_name names[BP_NAMES_MAX];
  const bp_problem *problem = p->workspace ? p->workspace->problem : NULL;
  if (operand == BP_OPERAND_scratch) {
    *count = p->scratch_count;
    return BP_OK;
  }
  bp_choice_names(&p->choice, p->build.op, p->build.space, p->elements,
                  bp_space_lanes(p->build.space, p->device->lanes), p->device->sms, names);
  if (problem)
    bp_problem_names(problem, names);
  return bp_expression_evaluate(bp_operands[operand].count, names, count);
}

static bp_status make_scratch(bp_plan *p)
{
  const bp_variant *variant = p->choice.variant;
  bool guarded = p->workspace && p->workspace->guarded;
  bp_status status = BP_OK;
  for (int n = 0; variant && n < variant->operands_count && !status; ++n) {
    const bp_operand *o = &bp_operands[variant->operands[n]];
    int64_t count = 0;
    if (o->access == BP_ACCESS_SCRATCH)
      status = count_scratch(p, variant->operands[n], &count);
    if (!status && count)
      status = bp_array_create(p->device, o->name, count, bp_operand_bytes(o, p->build.space),
                               guarded, &p->own[variant->operands[n]]);
  }
  return status ? status : bp_plan_poison(p);
}

/* Zeros, so that arithmetic on them stays finite. */
static bp_status make_own_arrays(bp_plan *p)
{
  bp_array *const arrays[] = {&p->from, &p->to};
  const char *const names[] = {"the array read", "the array written"};
  bp_status status = BP_OK;
  for (int n = 0; n < 2 && !status; ++n) {
    status = bp_array_create(p->device, names[n], p->doubles, sizeof(double), false, arrays[n]);
    if (!status)
      status = bp_array_clear(p->device, arrays[n]);
  }
  return status;
}

static bp_status value_of(const bp_plan *p, int operand, uint64_t *value)
{
  bp_name names[BP_NAMES_MAX];
  int64_t number;
  bp_choice_names(&p->choice, p->build.op, p->build.space, p->elements,
                  bp_space_lanes(p->build.space, p->device->lanes), p->device->sms, names);
  bp_problem_names(p->workspace->problem, names);
  bp_status status = bp_expression_evaluate(bp_operands[operand].count, names, &number);
  *value = (uint64_t)number;
  return status;
}

static bp_status address_of(bp_plan *p, int operand, uint64_t *address)
{
  bp_layout layout;
  *address = 0;
  if (bp_operands[operand].access == BP_ACCESS_VALUE)
    return p->workspace ? value_of(p, operand, address) : BP_OK;
  if (bp_operands[operand].access == BP_ACCESS_SCRATCH) {
    *address = p->own[operand].data;
    return BP_OK;
  }
  if (!p->workspace) {
    *address = operand == BP_OPERAND_u ? p->from.data : operand == BP_OPERAND_v ? p->to.data : 0;
    return BP_OK;
  }
  if (operand != BP_OPERAND_factors)
    return bp_workspace_array(p->workspace, operand, address);
  bp_status status = bp_layout_parse(p->choice.variant->factors,
                                     bp_space_lanes(p->build.space, p->device->lanes), &layout);
  if (status)
    return bp_fail_at(status, p->choice.variant->text->file);
  return bp_workspace_factors(p->workspace, &layout, &p->details.setup_seconds,
                              &p->details.upload_seconds, address);
}

/* Of an operand of an operator: u, v and the factors are by element; of a gradient u has nodes of a mesh, and
 * its list is by element; of a pair each point is an element. */
static int64_t rows_of(const bp_plan *p, int operand)
{
  enum { VECTORS = 4 };
  const bp_problem *problem = p->workspace ? p->workspace->problem : NULL;
  if (problem && bp_problem_is_pair(problem)) {
    const int64_t species = problem->space.fields;
    return operand == BP_OPERAND_u              ? VECTORS * species
           : operand == BP_OPERAND_v            ? species * species
           : operand == BP_OPERAND_u_by_species ? VECTORS
                                                : operand == BP_OPERAND_v_by_species;
  }
  return operand == BP_OPERAND_v || operand == BP_OPERAND_factors ||
         operand == (problem && problem->gather ? BP_OPERAND_gather : BP_OPERAND_u);
}

static bp_status bind_operands(bp_plan *p)
{
  const bp_variant *variant = p->choice.variant;
  bp_status status = BP_OK;
  for (int n = 0; n < variant->operands_count && !status; ++n) {
    uint64_t value;
    status = address_of(p, variant->operands[n], &value);
    for (int s = 0; s < p->steps_count; ++s) {
      p->steps[s].operands[n].operand = variant->operands[n];
      p->steps[s].operands[n].item =
          bp_operand_bytes(&bp_operands[variant->operands[n]], p->build.space);
      p->steps[s].operands[n].value = value;
      p->steps[s].operands[n].rows = rows_of(p, variant->operands[n]);
      p->steps[s].operands_count = variant->operands_count;
    }
  }
  return status;
}

void bp_plan_bind(bp_plan *plan, int operand, bp_address address)
{
  for (int s = 0; s < plan->steps_count; ++s)
    for (int n = 0; n < plan->steps[s].operands_count; ++n)
      if (plan->steps[s].operands[n].operand == operand)
        plan->steps[s].operands[n].value = address;
}

static void add_copy(bp_plan *p)
{
  bp_step_start(&p->steps[0], BP_STEP_COPY);
  p->steps[0].from = p->from.data;
  p->steps[0].to = p->to.data;
  p->steps[0].bytes = p->doubles * (int64_t)sizeof(double);
  p->steps_count = 1;
}

/* ---- binding to the device as it is now ---- */

/* Frees what the device holds for the plan; an older generation took it along. */
static void unbind(bp_plan *p)
{
  if (p->generation == p->device->generation) {
    if (p->module)
      p->device->backend->unload(p->device, p->module);
    for (int n = 0; n < BP_OPERANDS_COUNT; ++n)
      bp_array_destroy(p->device, &p->own[n]);
    bp_array_destroy(p->device, &p->from);
    bp_array_destroy(p->device, &p->to);
  }
  p->module = 0;
  memset(p->own, 0, sizeof p->own);
  p->from = p->to = (bp_array){0};
  p->generation = -1;
}

static bp_status bind(bp_plan *p)
{
  bp_status status = BP_OK;
  p->generation = p->device->generation;
  if (p->choice.variant)
    status = load_functions(p);
  if (!status && !p->workspace)
    status = make_own_arrays(p);
  if (!status)
    status = make_scratch(p);
  if (!status && p->choice.variant)
    return bind_operands(p);
  if (!status)
    add_copy(p);
  return status;
}

bp_status bp_plan_ready(bp_plan *plan)
{
  bp_status status = plan->workspace ? bp_workspace_ready(plan->workspace) : BP_OK;
  if (status || plan->generation == plan->device->generation)
    return status;
  unbind(plan);
  status = bind(plan);
  return status == BP_SKIPPED ? BP_ENVIRONMENT : status;
}

/* ---- making and destroying ---- */

static bp_plan *new_plan(bp_device *device, const bp_choice *choice)
{
  bp_plan *p = bp_alloc(1, sizeof *p);
  p->device = device;
  p->choice = p->build.choice = *choice;
  p->iterations = p->applications = 1;
  p->generation = -1;
  p->details = (bp_plan_details){.registers = -1,
                                 .spill_bytes = -1,
                                 .shared_bytes = -1,
                                 .blocks_per_sm = -1,
                                 .blocks = -1,
                                 .threads = -1,
                                 .code_bytes = -1,
                                 .compile_seconds = device->backend->build ? 0 : NAN,
                                 .upload_seconds = device->backend->map ? NAN : 0};
  return p;
}

/* Sizes, compiles and binds; the plan is destroyed unless it is complete. */
static bp_status complete(bp_plan *p, bp_plan **plan)
{
  bp_status status = BP_OK;
  if (p->choice.variant && p->launches == 0) {
    p->launches = bp_shapes_count(p->choice.variant);
    status = bp_shapes(p->device, &p->build, p->elements, p->shapes, &p->scratch_count);
  }
  if (!status)
    status = bind(p);
  *plan = status ? NULL : p;
  if (status)
    bp_plan_destroy(p);
  return status;
}

bp_status bp_plan_create(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan)
{
  const bp_problem *problem = workspace->problem;
  const bp_variant *variant = choice->variant;
  *plan = NULL;
  BP_ASSERT(problem->unknowns || strcmp(variant->problem, bp_operator_kernels(problem->op)) == 0);
  BP_ASSERT(variant->language == workspace->device->backend->language);
  bp_status status = bp_variant_check(variant, problem->op, problem->space);
  if (!status && problem->space.jacobi && !bp_variant_takes(variant, BP_OPERAND_diagonal))
    status = bp_fail(BP_SKIPPED, "takes no preconditioner");
  if (!status && workspace->device->comm && workspace->device->comm->size > 1 &&
      problem->unknowns && !problem->space.level && !bp_variant_is_for_ranks(variant))
    status = bp_fail(BP_SKIPPED, "made for one rank");
  if (!status)
    status = bp_workspace_ready(workspace);
  if (status)
    return status;
  bp_plan *p = new_plan(workspace->device, choice);
  p->workspace = workspace;
  if (!problem->unknowns && problem->iterations)
    p->iterations = problem->iterations;
  p->build.op = problem->op;
  p->build.space = problem->space;
  p->elements = problem->elements;
  p->next = workspace->plans;
  workspace->plans = p;
  return complete(p, plan);
}

bp_status bp_plan_create_alone(bp_device *device, const bp_choice *choice, int64_t elements,
                               int64_t doubles, bp_plan **plan)
{
  bp_plan *p = new_plan(device, choice);
  p->build.space = (bp_space){.degree = 1};
  p->elements = elements;
  p->doubles = doubles;
  return complete(p, plan);
}

void bp_plan_destroy(bp_plan *plan)
{
  if (!plan)
    return;
  if (plan->workspace) {
    bp_plan **at = &plan->workspace->plans;
    while (*at != plan)
      at = &(*at)->next;
    *at = plan->next;
  }
  unbind(plan);
  bp_free(plan);
}

void bp_plans_build(bp_device *device, const bp_build *builds, int count)
{
  bp_build *wanted = bp_alloc((size_t)count, sizeof *wanted);
  int wanted_count = 0;
  for (int n = 0; n < count; ++n) {
    const bp_variant *v = builds[n].choice.variant;
    int64_t threads, shared;
    if (!bp_variant_check(v, builds[n].op, builds[n].space) &&
        bp_shapes_fit(device, &builds[n], 1, &threads, &shared))
      wanted[wanted_count++] = builds[n];
  }
  if (wanted_count > 0 && device->backend->build)
    device->backend->build(device, wanted, wanted_count);
  bp_free(wanted);
}

/* ---- using ---- */

static bool is_there(const bp_plan *p, int operand)
{
  return p->own[operand].data && p->generation == p->device->generation;
}

bp_status bp_plan_poison(bp_plan *plan)
{
  bp_status status = BP_OK;
  for (int n = 0; n < BP_OPERANDS_COUNT && !status; ++n)
    if (is_there(plan, n))
      status = bp_array_poison(plan->device, &plan->own[n]);
  return status;
}

bp_status bp_plan_check(bp_plan *plan)
{
  bp_status status = BP_OK;
  for (int n = 0; n < BP_OPERANDS_COUNT && !status; ++n)
    if (is_there(plan, n))
      status = bp_array_check(plan->device, &plan->own[n]);
  return status;
}

void bp_plan_leave_out(bp_plan *plan, const char *kernel)
{
  for (int n = 0; n < plan->choice.variant->launches_count; ++n)
    if (strcmp(plan->choice.variant->launches[n].kernel, kernel) == 0)
      plan->left_out[n] = true;
}

/* One double of work for each thread, so that all of them take part. */
bp_status bp_plan_create_empty(const bp_plan *other, bp_plan **plan)
{
  enum { LINE_DOUBLES = 8 };
  bool is_cpu = other->device->backend->language == BP_LANGUAGE_C;
  const bp_variant *nothing =
      bp_variant_find(is_cpu ? "peaks/empty" : "peaks/gpu-empty", other->device->backend->language);
  BP_ASSERT(nothing);
  const bp_choice choice = bp_choice_standard(nothing);
  bp_plan *p = new_plan(other->device, &choice);
  p->build.space = (bp_space){.degree = 1};
  p->elements = p->doubles = LINE_DOUBLES * other->device->sms;
  for (int n = 0; n < other->steps_count; ++n) {
    if (other->phases[n] != BP_REPEATED || other->left_out[n])
      continue;
    bp_shape *shape = &p->shapes[p->launches++];
    *shape = other->shapes[n];
    shape->shared = 0;
    if (is_cpu)
      shape->threads[0] = LINE_DOUBLES;
    else if (other->details.blocks_per_sm > 0)
      shape->blocks = least(shape->blocks, other->details.blocks_per_sm * other->device->sms);
  }
  return complete(p, plan);
}

bp_status bp_plan_create_part(const bp_plan *other, int64_t elements, bp_plan **plan)
{
  bp_status status = bp_plan_create(other->workspace, &other->choice, plan);
  for (int n = 0; !status && n < (*plan)->steps_count; ++n)
    (*plan)->steps[n].elements = elements;
  return status;
}
