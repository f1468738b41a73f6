/* operator.c -- making an operator, and what it tells of itself. */
#include "lib/library.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/cuda/cuda.h"
#include <inttypes.h>
#include <string.h>

/* ---- making one ---- */

static bp_status options_of(const libbp_operator_options *given, libbp_operator_options *options)
{
  *options = (libbp_operator_options)LIBBP_OPERATOR_OPTIONS;
  if (!given || given->size < sizeof(size_t) || given->size > sizeof *options)
    return bp_fail(BP_BAD_INPUT, "expected options of at most %zu bytes, found %zu",
                   sizeof *options, given ? given->size : 0);
  memcpy(options, given, given->size);
  const bp_bake_off *row = options->problem ? bp_bake_off_find(options->problem) : NULL;
  if (!row || bp_bake_off_is_wave(row))
    return bp_fail(BP_BAD_INPUT, "problem: expected bp1 to bp6, found '%s'",
                   options->problem ? options->problem : "NULL");
  if (options->degree < 1 || options->degree > BP_DEGREE_MAX)
    return bp_fail(BP_BAD_INPUT, "degree: expected 1 to %d, found %d", BP_DEGREE_MAX,
                   options->degree);
  if (!(options->lambda >= 0) || options->lambda > 1e300)
    return bp_fail(BP_BAD_INPUT, "lambda: expected a number from 0 on, found %g", options->lambda);
  if (options->beyond < 0 || options->beyond > BP_POINTS_BEYOND_MAX)
    return bp_fail(BP_BAD_INPUT, "beyond: expected 0 to %d, found %d", BP_POINTS_BEYOND_MAX,
                   options->beyond);
  if (!options->rule || (strcmp(options->rule, "own") != 0 && strcmp(options->rule, "gauss") != 0 &&
                         strcmp(options->rule, "lobatto") != 0))
    return bp_fail(BP_BAD_INPUT, "rule: expected own, gauss or lobatto, found '%s'",
                   options->rule ? options->rule : "NULL");
  if (bp_bake_off_check_points(options->problem, options->beyond, options->rule, "beyond and rule"))
    return BP_BAD_INPUT;
  if (options->stride < 0)
    return bp_fail(BP_BAD_INPUT, "stride: expected a number from 0 on, found %" PRId64,
                   options->stride);
  if (options->layout != LIBBP_ELEMENTS && options->layout != LIBBP_UNKNOWNS)
    return bp_fail(BP_BAD_INPUT, "layout: expected LIBBP_ELEMENTS or LIBBP_UNKNOWNS, found %d",
                   (int)options->layout);
  if (options->layout == LIBBP_ELEMENTS && (row->components > 1 || options->map))
    return bp_fail(BP_BAD_INPUT, "layout: expected LIBBP_UNKNOWNS for %s",
                   options->map ? "a map" : options->problem);
  return BP_OK;
}

/* libbp's own, ~n where n is fixed. */
static int64_t *own_numbers(const libbp_operator *a)
{
  const bp_unknowns *all = a->unknowns;
  const int64_t nodes = bp_space_nodes(a->space);
  int64_t *number = bp_alloc_array((size_t)(all->elements * nodes), sizeof *number);
  uint8_t *is_fixed = bp_alloc((size_t)all->count, sizeof *is_fixed);
  bp_unknowns_number(all, 0, all->elements, number);
  bp_unknowns_fixed(all, is_fixed);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < all->elements * nodes; ++n)
    number[n] = is_fixed[number[n]] ? ~number[n] : number[n];
  bp_free(is_fixed);
  return number;
}

static void list_fixed(libbp_operator *a)
{
  uint8_t *is_fixed = bp_alloc((size_t)a->unknowns->count, sizeof *is_fixed);
  bp_unknowns_fixed(a->unknowns, is_fixed);
  a->fixed_list = bp_alloc((size_t)a->unknowns->fixed, sizeof *a->fixed_list);
  for (int64_t n = 0, next = 0; n < a->unknowns->count; ++n)
    if (is_fixed[n])
      a->fixed_list[next++] = n;
  bp_free(is_fixed);
}

/* Batches of elements, of the CPU. */
static void make_batches(libbp_operator *a)
{
  const bp_device *device = a->context->device;
  const int64_t nodes = bp_space_nodes(a->space);
  a->batches =
      (bp_batches){.elements = bp_batches_elements(a->plan->steps, nodes), .fields = a->fields};
  a->batches.room =
      bp_alloc_array((size_t)bp_batches_room(device, &a->batches, nodes), sizeof(double));
}

/* Of an application on a GPU: each component to elements, the kernel, and back. */
static void make_steps(libbp_operator *a)
{
  const bp_array *local = a->workspace->arrays;
  const int each = a->plan->steps_count + 2;
  a->steps = bp_alloc((size_t)a->fields * (size_t)each, sizeof *a->steps);
  for (int c = 0; c < a->fields; ++c) {
    bp_step *step = a->steps + c * each;
    *step++ = libbp_lists_step(a->lists, LIBBP_TAKE, c, a->stride, local[BP_OPERAND_u].data);
    for (int n = 0; n < a->plan->steps_count; ++n)
      *step++ = a->plan->steps[n];
    *step = libbp_lists_step(a->lists, LIBBP_ADD, c, a->stride, local[BP_OPERAND_v].data);
  }
}

bp_status libbp_make_lists(libbp_operator *a, const int64_t *map)
{
  if (a->lists)
    return BP_OK;
  int64_t *own = map ? NULL : own_numbers(a);
  bp_status status = libbp_lists_create(a->context->device, own ? own : map, a->problem->elements,
                                        bp_space_nodes(a->space), a->count, own, &a->lists);
  bp_free(own);
  return status;
}

/* Where the nodes of elements are in vectors of unknowns, on a CPU. */
static bp_status make_numbers(libbp_operator *a, const int64_t *map)
{
  int64_t *own = map ? NULL : own_numbers(a);
  bp_status status =
      libbp_numbers_create(a->context->device, &a->batches, own ? own : map, a->problem->elements,
                           a->space.degree + 1, a->count, &a->numbers);
  bp_free(own);
  if (!status && a->unknowns)
    list_fixed(a);
  return status;
}

/* What is told of unknowns, and the kernel that takes the caller's vectors as they are, where that can be. */
static bp_status make_unknowns(libbp_operator *a, int64_t elements,
                               const libbp_operator_options *options, bp_choice *choice)
{
  a->count = options->map ? options->count : a->unknowns->count;
  a->stride = options->map && options->stride ? options->stride : a->count;
  const char *named = options->variant ? strstr(options->variant, "/mapped") : NULL;
  if (!libbp_is_gpu(a->context) || (options->variant && !named))
    return BP_OK;
  bp_device *device = a->context->device;
  bp_space space = a->space;
  const bool is_mma = libbp_mapped_is_mma(a->row->kernels, space.degree);
  bp_status status = libbp_mapped_create(device, a->unknowns, options->map, elements, space.degree,
                                         a->count, &a->mapped);
  if (!status && a->mapped && !named &&
      !libbp_mapped_is_fast(a->mapped, a->row->kernels, space.degree)) {
    libbp_mapped_destroy(device, a->mapped);
    a->mapped = NULL;
  }
  if (status || !a->mapped)
    return status;
  space.jacobi = false;
  space.mapped = true;
  a->mapped->atomic = options->atomic != 0;
  libbp_lock();
  status = libbp_best(device, a->op, a->row, space, elements,
                      named    ? options->variant
                      : is_mma ? "mapped-mma"
                               : "mapped",
                      choice);
  libbp_unlock();
  if (!status)
    libbp_mapped_set(a->mapped, choice);
  return status;
}

/* The numbers to the workspace, before the plan takes them. */
static void give_numbers(libbp_operator *a)
{
  const libbp_mapped *m = a->mapped;
  const bp_unknowns *u = a->problem->unknowns;
  bp_workspace_give(a->workspace, BP_OPERAND_ids, u->ids);
  bp_workspace_give(a->workspace, BP_OPERAND_starts, u->starts);
  bp_workspace_give(a->workspace, BP_OPERAND_copied, u->copies);
  bp_workspace_give(a->workspace, BP_OPERAND_copy_slots, m->slots);
  bp_workspace_give(a->workspace, BP_OPERAND_targets, m->targets);
}

/* The factors, which are the most, and what elements have. */
static bp_status check_memory(const libbp_operator *a, int64_t elements)
{
  char needed[32], available[32];
  const double points = a->space.points * a->space.points * a->space.points,
               bytes = (double)sizeof(double) * (double)elements *
                       (points * a->op->components + bp_space_nodes(a->space)),
               have = (double)(libbp_is_gpu(a->context)
                                   ? a->context->device->backend->memory_free(a->context->device)
                                   : bp_memory_available());
  return bytes <= have ? BP_OK
                       : bp_fail(BP_ENVIRONMENT, "no memory: it needs %s, available: %s",
                                 bp_print_bytes(needed, bytes), bp_print_bytes(available, have));
}

/* The kernel on elements, of one component; or the one that was chosen on the caller's vectors. */
static bp_status make_plan(libbp_operator *a, int64_t elements, const double *factors,
                           const char *variant, bp_choice choice)
{
  bp_space space = a->space;
  bp_device *device = a->context->device;
  bp_status status = check_memory(a, elements);
  space.fields = a->mapped ? space.fields : 1;
  space.mapped = a->mapped;
  space.jacobi = false;
  if (status)
    return status;
  if (factors)
    bp_problem_of_factors(a->op, space, a->lambda, elements,
                          bp_operator_find(a->row->operator)->components, factors, &a->problem);
  else
    status = bp_problem_create(a->op, space, a->lambda, a->of->mesh, &a->problem);
  if (!status && a->mapped)
    a->problem->unknowns = a->mapped->unknowns ? a->mapped->unknowns : a->unknowns;
  if (!status)
    status = bp_workspace_create(device, a->problem, false, &a->workspace);
  if (!status && a->mapped)
    give_numbers(a);
  libbp_lock();
  if (!status && !a->mapped)
    status = libbp_best(device, a->op, NULL, space, a->problem->elements, variant, &choice);
  if (!status)
    status = bp_plan_create(a->workspace, &choice, &a->plan);
  libbp_unlock();
  if (!status && a->mapped) {
    bp_plan_bind(a->plan, BP_OPERAND_inside, a->mapped->inside.data);
    bp_plan_bind(a->plan, BP_OPERAND_stride, (uint64_t)a->stride);
  } else if (!status && !(libbp_is_gpu(a->context) && a->layout == LIBBP_UNKNOWNS)) {
    /* the caller's are bound, or pieces of them */
    bp_workspace_drop(a->workspace, BP_OPERAND_u);
    bp_workspace_drop(a->workspace, BP_OPERAND_v);
  }
  return status;
}

/* On the caller's vectors; where the kernel does not fit the device, or fails there, on elements. */
static bp_status make_mapped(libbp_operator *a, int64_t elements, const double *factors,
                             bp_choice choice)
{
  const bp_operator *op = a->op;
  a->op = bp_bake_off_operator(a->row, a->lambda); /* fewer factors without a mass */
  const bp_status status = make_plan(a, elements, factors, NULL, choice);
  if (!status)
    return BP_OK;
  bp_tell("unknowns go through elements: %s", bp_message());
  a->op = op;
  libbp_mapped_destroy(a->context->device, a->mapped);
  bp_workspace_destroy(a->workspace);
  if (factors)
    a->problem->factors = NULL;
  bp_problem_destroy(a->problem);
  a->mapped = NULL;
  a->workspace = NULL;
  a->problem = NULL;
  return make_plan(a, elements, factors, NULL, choice);
}

/* Of a mesh, or of factors. */
static libbp_status create(const char *call, libbp_context *context, libbp_mesh *mesh,
                           int64_t elements, const double *factors,
                           const libbp_operator_options *given, libbp_operator **made)
{
  libbp_operator_options options;
  bp_choice choice = {0};
  *made = NULL;
  bp_status status = options_of(given, &options);
  if (!status && !mesh && options.layout == LIBBP_UNKNOWNS && !options.map)
    status = libbp_given(NULL, "a map");
  if (status)
    return libbp_failed(status, call);
  void *current = bp_cuda_current();
  libbp_enter(context);
  libbp_operator *a = bp_alloc(1, sizeof *a);
  const bp_bake_off *row = bp_bake_off_find(options.problem);
  a->context = libbp_hold_context(context);
  a->of = mesh ? libbp_hold_mesh(mesh) : NULL;
  a->row = row;
  a->op = bp_operator_find(row->operator);
  a->lambda = options.lambda;
  a->space = bp_bake_off_space_with(row, options.degree, options.beyond, options.rule);
  a->space.jacobi = options.jacobi != 0;
  a->fixed = options.fixed ? bp_strdup(options.fixed) : NULL;
  a->layout = options.layout;
  a->fields = a->layout == LIBBP_UNKNOWNS ? row->components : 1;
  if (mesh && a->layout == LIBBP_UNKNOWNS && !options.map)
    status =
        bp_system_number((bp_system_options){.row = row, .space = a->space, .lambda = a->lambda},
                         a->fixed, mesh->mesh, &a->unknowns);
  if (mesh)
    elements = mesh->mesh->elements;
  if (!status && a->layout == LIBBP_UNKNOWNS)
    status = make_unknowns(a, elements, &options, &choice);
  if (!status)
    status = a->mapped ? make_mapped(a, elements, factors, choice)
                       : make_plan(a, elements, factors, options.variant, choice);
  if (!status && !libbp_is_gpu(context))
    make_batches(a);
  if (!status && a->layout == LIBBP_UNKNOWNS && !libbp_is_gpu(context))
    status = make_numbers(a, options.map);
  else if (!status && a->layout == LIBBP_UNKNOWNS && !a->mapped)
    status = libbp_make_lists(a, options.map);
  if (!status && a->lists)
    make_steps(a);
  if (!status && a->plan->details.compile_seconds > 0)
    bp_tell("compiled %s for N = %d in %.1f s", a->plan->choice.variant->id, a->space.degree,
            a->plan->details.compile_seconds);
  status = libbp_leave(status);
  bp_cuda_make_current(current);
  if (status) {
    libbp_operator_destroy(a);
    return libbp_failed(status, call);
  }
  a->problem->factors = NULL; /* the caller's */
  *made = a;
  return LIBBP_OK;
}

static bp_status start(libbp_operator **a, const void *of, const char *what)
{
  if (a)
    *a = NULL;
  return a ? libbp_given(of, what) : libbp_given(NULL, "a place for it");
}

libbp_status libbp_operator_create(libbp_mesh *mesh, const libbp_operator_options *options,
                                   libbp_operator **a)
{
  static const char call[] = "libbp_operator_create";
  const bp_status status = start(a, mesh, "a mesh");
  return status ? libbp_failed(status, call)
                : create(call, mesh->context, mesh, 0, NULL, options, a);
}

libbp_status libbp_operator_create_factors(libbp_context *context,
                                           const libbp_operator_options *options, int64_t elements,
                                           const double *factors, libbp_operator **a)
{
  static const char call[] = "libbp_operator_create_factors";
  bp_status status = start(a, context, "a context");
  if (!status)
    status = libbp_given(factors, "factors");
  if (!status && (elements < 1 || elements > INT32_MAX))
    status =
        bp_fail(BP_BAD_INPUT, "expected 1 to %d elements, found %" PRId64, INT32_MAX, elements);
  return status ? libbp_failed(status, call)
                : create(call, context, NULL, elements, factors, options, a);
}

libbp_status libbp_operator_set_factors(libbp_operator *a, const double *factors)
{
  bp_status status = libbp_given(a, "an operator");
  if (!status)
    status = libbp_given(factors, "factors");
  if (!status && a->of)
    status = bp_fail(BP_BAD_INPUT, "expected an operator made of factors, found one of a mesh");
  if (!status) {
    a->problem->factors = (double *)(uintptr_t)factors;
    void *current = bp_cuda_current();
    libbp_enter(a->context);
    status = libbp_leave(bp_workspace_refill(a->workspace));
    bp_cuda_make_current(current);
    a->problem->factors = NULL;
  }
  return libbp_failed(status, "libbp_operator_set_factors");
}

void libbp_operator_destroy(libbp_operator *a)
{
  if (!a)
    return;
  void *current = bp_cuda_current();
  libbp_forget_solver(a);
  bp_plan_destroy(a->plan);
  bp_workspace_destroy(a->workspace);
  libbp_lists_destroy(a->lists);
  libbp_mapped_destroy(a->context->device, a->mapped);
  if (a->problem)
    a->problem->factors = NULL;
  bp_problem_destroy(a->problem);
  bp_cuda_make_current(current);
  bp_unknowns_destroy(a->unknowns);
  libbp_numbers_destroy(a->numbers);
  bp_free(a->steps);
  bp_free(a->batches.room);
  bp_free(a->fixed_list);
  bp_free(a->fixed);
  libbp_mesh_destroy(a->of);
  libbp_context_destroy(a->context);
  bp_free(a);
}

/* ---- what it is ---- */

libbp_status libbp_operator_info(const libbp_operator *a, libbp_info *info)
{
  libbp_info all = LIBBP_INFO;
  if (!a || !info || info->size < sizeof(size_t) || info->size > sizeof all)
    return libbp_failed(bp_fail(BP_BAD_INPUT,
                                "expected an operator and an info of at most %zu bytes, found %zu",
                                sizeof all, a && info ? info->size : 0),
                        "libbp_operator_info");
  const bp_space space = a->problem->space;
  const int64_t elements = a->problem->elements,
                points = (int64_t)space.points * space.points * space.points;
  all.length = a->layout == LIBBP_UNKNOWNS ? a->count + (a->fields - 1) * a->stride
                                           : bp_problem_dofs(a->problem);
  all.fixed = a->unknowns  ? a->unknowns->fixed
              : a->numbers ? a->numbers->fixed
              : a->mapped  ? a->mapped->fixed
              : a->lists   ? a->lists->fixed
                           : 0;
  all.variant = a->plan->choice.variant->id;
  all.flops = (double)bp_operator_flops(a->op, space) * (double)elements;
  all.bytes = (double)sizeof(double) * (2 * (double)bp_problem_dofs(a->problem) +
                                        (double)elements * (double)points * a->op->components);
  all.kept = a->layout == LIBBP_ELEMENTS      ? NULL
             : a->numbers && a->numbers->rows ? "rows"
             : a->mapped && a->mapped->runs   ? "insides"
                                              : "nodes";
  all.size = info->size;
  memcpy(info, &all, info->size);
  return LIBBP_OK;
}

/* What can be asked of an operator only in libbp's numbers; of elements as well: `elements`. */
static bp_status check_asked(const libbp_operator *a, const void *array, bool elements)
{
  bp_status status = array ? libbp_given(a, "an operator") : libbp_given(NULL, "an array");
  return status || a->unknowns || (elements && a->of && a->layout == LIBBP_ELEMENTS)
             ? status
             : bp_fail(BP_BAD_INPUT, "expected an operator on unknowns in libbp's numbers");
}

libbp_status libbp_operator_numbers(const libbp_operator *a, int64_t *numbers)
{
  bp_status status = check_asked(a, numbers, false);
  if (!status) {
    libbp_enter(a->context);
    int64_t *own = own_numbers(a);
    memcpy(numbers, own, (size_t)(a->problem->elements * bp_space_nodes(a->space)) * sizeof *own);
    bp_free(own);
    status = libbp_leave(BP_OK);
  }
  return libbp_failed(status, "libbp_operator_numbers");
}

libbp_status libbp_operator_nodes(const libbp_operator *a, double *x)
{
  bp_status status = check_asked(a, x, true);
  if (!status) {
    libbp_enter(a->context);
    if (a->unknowns)
      bp_unknowns_nodes(a->unknowns, a->of->mesh, x);
    else
      bp_problem_nodes(a->of->mesh, a->space.degree, 0, a->problem->elements, x);
    status = libbp_leave(BP_OK);
  }
  return libbp_failed(status, "libbp_operator_nodes");
}
