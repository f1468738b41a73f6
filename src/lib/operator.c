/* operator.c -- an operator on the caller's arrays. */
#include "lib/library.h"

#include "base/memory.h"
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
  if (options->layout != LIBBP_ELEMENTS && options->layout != LIBBP_UNKNOWNS)
    return bp_fail(BP_BAD_INPUT, "layout: expected LIBBP_ELEMENTS or LIBBP_UNKNOWNS, found %d",
                   (int)options->layout);
  if (options->layout == LIBBP_ELEMENTS && (row->components > 1 || options->map))
    return bp_fail(BP_BAD_INPUT, "layout: expected LIBBP_UNKNOWNS for %s",
                   options->map ? "a map" : options->problem);
  return BP_OK;
}

static bp_system_options system_options(const libbp_operator *a, bool all_free)
{
  return (bp_system_options){
      .row = a->row, .space = a->space, .lambda = a->lambda, .all_free = all_free};
}

/* The caller's number of each unknown, if elements agree on it. */
static bp_status read_map(libbp_operator *a, const int64_t *map, int64_t count)
{
  const int64_t each = bp_space_nodes(a->space), elements = a->unknowns->elements;
  enum { UNSEEN = INT32_MIN };
  int64_t *numbers = bp_alloc_array((size_t)(elements * each), sizeof *numbers);
  bp_status status = BP_OK;
  bp_unknowns_number(a->unknowns, 0, elements, numbers);
  a->map = bp_alloc_array((size_t)a->unknowns->count, sizeof *a->map);
  a->count = count;
  for (int64_t n = 0; n < a->unknowns->count; ++n)
    a->map[n] = UNSEEN;
  for (int64_t n = 0; n < elements * each && !status; ++n) {
    const int64_t to = map[n] < 0 ? -1 : map[n];
    int64_t *known = &a->map[numbers[n]];
    if (to >= count)
      status =
          bp_fail(BP_BAD_INPUT,
                  "map: expected numbers below %" PRId64 ", found %" PRId64 " in element %" PRId64,
                  count, to, n / each);
    else if (*known != UNSEEN && *known != to)
      status = bp_fail(BP_BAD_INPUT,
                       "map: expected one number for a node that elements share, found %" PRId64
                       " and %" PRId64 " in element %" PRId64,
                       *known, to, n / each);
    *known = to;
  }
  bp_free(numbers);
  return status;
}

static bp_status make_unknowns(libbp_operator *a, const libbp_operator_options *options)
{
  bp_status status = bp_system_number(system_options(a, options->map != NULL), a->fixed,
                                      a->of->mesh, &a->unknowns);
  if (status || !options->map)
    return status;
  status = read_map(a, options->map, options->count);
  a->own_u = bp_alloc_array((size_t)a->unknowns->count, sizeof *a->own_u);
  a->own_v = bp_alloc_array((size_t)a->unknowns->count, sizeof *a->own_v);
  return status;
}

/* The kernel on elements, of one component. */
static bp_status make_plan(libbp_operator *a)
{
  const bp_space space = bp_operator_space(a->op, a->space.degree);
  bp_device *device = a->of->context->device;
  bp_choice choice;
  bp_status status = bp_problem_create(a->op, space, a->lambda, a->of->mesh, &a->problem);
  if (!status)
    status = bp_workspace_create(device, a->problem, false, &a->workspace);
  if (!status)
    status = libbp_best(device, a->op, NULL, space, a->problem->elements, &choice);
  if (!status)
    status = bp_plan_create(a->workspace, &choice, &a->plan);
  if (status)
    return status;
  a->u = bp_alloc_array((size_t)bp_problem_dofs(a->problem), sizeof *a->u);
  a->v = bp_alloc_array((size_t)bp_problem_dofs(a->problem), sizeof *a->v);
  return BP_OK;
}

libbp_status libbp_operator_create(libbp_mesh *mesh, const libbp_operator_options *given,
                                   libbp_operator **made)
{
  libbp_operator_options options;
  *made = NULL;
  bp_status status = libbp_given(mesh, "a mesh");
  if (!status)
    status = options_of(given, &options);
  if (status)
    return libbp_failed(status, "libbp_operator_create");
  libbp_operator *a = bp_alloc(1, sizeof *a);
  const bp_bake_off *row = bp_bake_off_find(options.problem);
  a->of = libbp_hold_mesh(mesh);
  a->row = row;
  a->op = bp_operator_find(row->operator);
  a->lambda = options.lambda;
  a->space = bp_bake_off_space(row, options.degree);
  a->space.jacobi = options.jacobi != 0;
  a->fixed = options.fixed ? bp_strdup(options.fixed) : NULL;
  if (options.layout == LIBBP_UNKNOWNS)
    status = make_unknowns(a, &options);
  if (!status)
    status = make_plan(a);
  if (status) {
    libbp_operator_destroy(a);
    return libbp_failed(status, "libbp_operator_create");
  }
  *made = a;
  return LIBBP_OK;
}

void libbp_operator_destroy(libbp_operator *a)
{
  if (!a)
    return;
  bp_plan_destroy(a->solver);
  bp_scheme_destroy(a->scheme);
  bp_system_destroy(a->system);
  bp_plan_destroy(a->plan);
  bp_workspace_destroy(a->workspace);
  bp_problem_destroy(a->problem);
  bp_unknowns_destroy(a->unknowns);
  bp_free(a->map);
  bp_free(a->u);
  bp_free(a->v);
  bp_free(a->own_u);
  bp_free(a->own_v);
  bp_free(a->f);
  bp_free(a->fixed);
  libbp_mesh_destroy(a->of);
  bp_free(a);
}

/* ---- what it is ---- */

static int64_t component_length(const libbp_operator *a)
{
  return !a->unknowns ? bp_problem_dofs(a->problem) : a->map ? a->count : a->unknowns->count;
}

libbp_status libbp_operator_info(const libbp_operator *a, libbp_info *info)
{
  const bp_space space = a->problem->space;
  const int64_t elements = a->problem->elements,
                points = (int64_t)space.points * space.points * space.points;
  libbp_info all = LIBBP_INFO;
  if (info->size < sizeof(size_t) || info->size > sizeof all)
    return libbp_failed(bp_fail(BP_BAD_INPUT, "expected an info of at most %zu bytes, found %zu",
                                sizeof all, info->size),
                        "libbp_operator_info");
  all.length = component_length(a) * (a->unknowns ? a->row->components : 1);
  const int64_t unknowns = a->unknowns ? a->unknowns->count : 0;
  all.fixed = a->unknowns ? a->unknowns->fixed : 0;
  for (int64_t n = 0; n < (a->map ? unknowns : 0); ++n)
    all.fixed += a->map[n] < 0;
  all.variant = a->plan->choice.variant->id;
  all.flops = (double)bp_operator_flops(a->op, space) * (double)elements;
  all.bytes = (double)sizeof(double) * (2 * (double)bp_problem_dofs(a->problem) +
                                        (double)elements * (double)points * a->op->components);
  all.size = info->size;
  memcpy(info, &all, info->size);
  return LIBBP_OK;
}

static libbp_status no_unknowns(const char *call)
{
  return libbp_failed(bp_fail(BP_BAD_INPUT, "expected an operator on unknowns in libbp's numbers"),
                      call);
}

libbp_status libbp_operator_numbers(const libbp_operator *a, int64_t *numbers)
{
  if (!a->unknowns || a->map)
    return no_unknowns("libbp_operator_numbers");
  const int64_t all = a->unknowns->elements * bp_space_nodes(a->space);
  uint8_t *is_fixed = bp_alloc((size_t)a->unknowns->count, sizeof *is_fixed);
  bp_unknowns_number(a->unknowns, 0, a->unknowns->elements, numbers);
  bp_unknowns_fixed(a->unknowns, is_fixed);
  for (int64_t n = 0; n < all; ++n)
    numbers[n] = is_fixed[numbers[n]] ? ~numbers[n] : numbers[n];
  bp_free(is_fixed);
  return LIBBP_OK;
}

libbp_status libbp_operator_nodes(const libbp_operator *a, double *x)
{
  if (a->map)
    return no_unknowns("libbp_operator_nodes");
  if (a->unknowns)
    bp_unknowns_nodes(a->unknowns, a->of->mesh, x);
  else
    bp_problem_nodes(a->of->mesh, a->space.degree, 0, a->problem->elements, x);
  return LIBBP_OK;
}

/* ---- applying it ---- */

static bool is_aligned(const void *p)
{
  return (uintptr_t)p % 64 == 0;
}

/* v = A u on elements. */
static bp_status apply_to(libbp_operator *a, const double *u, double *v)
{
  bp_plan_bind(a->plan, BP_OPERAND_u, (bp_address)(uintptr_t)u);
  bp_plan_bind(a->plan, BP_OPERAND_v, (bp_address)(uintptr_t)v);
  return bp_plan_apply(a->plan);
}

/* to = alpha from + beta to */
static void combine(int64_t count, double alpha, const double *from, double beta, double *to)
{
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n)
    to[n] = beta == 0 ? alpha * from[n] : alpha * from[n] + beta * to[n];
}

static bp_status apply_elements(libbp_operator *a, double alpha, const double *u, double beta,
                                double *v)
{
  const int64_t count = bp_problem_dofs(a->problem);
  const bool in_place = alpha == 1 && beta == 0 && is_aligned(v);
  const double *from = u;
  if (!is_aligned(u)) {
    combine(count, 1, u, 0, a->u);
    from = a->u;
  }
  bp_status status = apply_to(a, from, in_place ? v : a->v);
  if (!status && !in_place)
    combine(count, alpha, a->v, beta, v);
  return status;
}

/* One component, in the caller's numbers. */
static bp_status apply_unknowns(libbp_operator *a, double alpha, const double *u, double beta,
                                double *v)
{
  const bp_unknowns *all = a->unknowns;
  const bool in_place = !a->map && alpha == 1 && beta == 0;
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < (a->map ? all->count : 0); ++n)
    a->own_u[n] = a->map[n] < 0 ? 0 : u[a->map[n]];
  bp_unknowns_scatter(all, 0, all->elements, a->map ? a->own_u : u, a->u);
  bp_status status = apply_to(a, a->u, a->v);
  if (status)
    return status;
  if (in_place) {
    bp_unknowns_gather(all, a->v, v);
    return BP_OK;
  }
  if (!a->own_v)
    a->own_v = bp_alloc_array((size_t)all->count, sizeof *a->own_v);
  bp_unknowns_gather(all, a->v, a->own_v);
  if (!a->map) {
    combine(all->count, alpha, a->own_v, beta, v);
    return BP_OK;
  }
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < all->count; ++n) {
    const int64_t to = a->map[n];
    if (to >= 0)
      v[to] = beta == 0 ? alpha * a->own_v[n] : alpha * a->own_v[n] + beta * v[to];
  }
  return BP_OK;
}

libbp_status libbp_operator_apply(libbp_operator *a, double alpha, const double *u, double beta,
                                  double *v)
{
  bp_status status = libbp_given(a, "an operator");
  if (!status && (!u || !v || u == v))
    status = bp_fail(BP_BAD_INPUT, "expected two arrays, found %s", u && v ? "one" : "NULL");
  if (status)
    return libbp_failed(status, "libbp_operator_apply");
  if (!a->unknowns)
    status = apply_elements(a, alpha, u, beta, v);
  const int64_t length = component_length(a);
  for (int c = 0; a->unknowns && c < a->row->components && !status; ++c)
    status = apply_unknowns(a, alpha, u + c * length, beta, v + c * length);
  return libbp_failed(status, "libbp_operator_apply");
}
