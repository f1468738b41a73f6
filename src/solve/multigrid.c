/* multigrid.c -- making the levels of a cycle. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "base/random.h"
#include "kernels/abi/multigrid.h"
#include "solve/inner_products.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps by which the largest eigenvalue of S A is found, and how far above it may be. */
enum { LANCZOS = 12 };
static const double above = 1.1;

/* Of entries in a matrix of N = 1 that join unknowns. */
static const double strong = 0.08;

/* ---- degrees ---- */

bp_status bp_multigrid_levels(const char *text, int degree, int degrees[BP_MULTIGRID_LEVELS],
                              int *count)
{
  *count = 0;
  if (strcmp(text, "auto") == 0) {
    for (int n = degree; n > 1; n = (n + 1) / 2)
      degrees[(*count)++] = n;
    degrees[(*count)++] = 1;
    return BP_OK;
  }
  const char *at = text;
  for (bool is_right = true; is_right;) {
    char *end;
    const long n = strtol(at, &end, 10);
    is_right = end > at && n >= 1 && n <= degree &&
               (*count ? n < degrees[*count - 1] : n == degree) && (*end == '-' || n == 1);
    if (is_right)
      degrees[(*count)++] = (int)n;
    if (is_right && *end == '\0')
      return BP_OK;
    at = end + 1;
  }
  return bp_fail(BP_BAD_INPUT, "levels: expected degrees that fall from %d to 1, found '%s'",
                 degree, text);
}

/* ---- levels with elements ---- */

/* The best kernel for the operator there, else the first that has its space. */
static bp_status choose(const bp_device *device, const bp_problem *p, bp_choice *choice)
{
  const bp_best_wanted wanted = {.device = device->name,
                                 .problem = bp_operator_kernels(p->op),
                                 .degree = p->space.degree,
                                 .points = bp_operator_other_points(p->op, p->space),
                                 .elements = p->elements,
                                 .sms = device->sms,
                                 .language = device->backend->language,
                                 .limits = bp_device_best_limits(device),
                                 .op = p->op,
                                 .space = p->space};
  bool found;
  int count;
  const bp_variant *all = bp_variants(&count);
  bp_status status = bp_best_find(&wanted, choice, &found);
  for (int n = 0; n < count && !status && !found; ++n) {
    found = strcmp(all[n].problem, wanted.problem) == 0 && all[n].language == wanted.language &&
            !bp_variant_check(&all[n], p->op, p->space);
    if (found)
      *choice = bp_choice_standard(&all[n]);
  }
  return status || found
             ? status
             : bp_fail(BP_SKIPPED, "no kernel of %s in %s precision at N = %d", wanted.problem,
                       bp_precisions[p->space.precision], p->space.degree);
}

static bp_status make_operator(bp_multigrid *m, bp_elements_level *l)
{
  bp_choice choice;
  const bool guarded = m->scheme->workspace->guarded;
  const int64_t fields = l->assembled.space.fields;
  const bp_system *first = m->scheme->system;
  bp_space space = l->assembled.space;
  space.fields = 1;
  space.jacobi = space.multigrid = false;
  /* element kernels have a mass term, whatever lambda is */
  bp_status status = bp_problem_create(bp_operator_find(first->row->operator), space,
                                       first->problem->lambda, first->mesh, &l->separate);
  if (!status)
    status = choose(m->device, l->separate, &choice);
  if (!status)
    status = bp_workspace_create(m->device, l->separate, guarded, &l->elements);
  if (!status)
    status = bp_plan_create(l->elements, &choice, &l->apply);
  if (status)
    return status;
  l->u = l->elements->arrays[BP_OPERAND_u].data;
  l->v = l->elements->arrays[BP_OPERAND_v].data;
  if (fields == 1)
    return BP_OK;
  const int64_t count = fields * BP_MG_ELEMENTS(l->separate->elements) *
                        bp_space_nodes(l->separate->space),
                bytes = bp_real_bytes(l->separate->space);
  status = bp_array_create(m->device, "vectors by element", count, bytes, guarded, &l->fields_u);
  if (!status)
    status = bp_array_create(m->device, "vectors by element", count, bytes, guarded, &l->fields_v);
  l->u = l->fields_u.data;
  l->v = l->fields_v.data;
  return status;
}

static void give_vectors(bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  const int64_t stride = bp_unknowns_stride(u);
  l->diagonal = bp_alloc_array((size_t)stride, sizeof *l->diagonal);
  bp_system_diagonal(l->system, l->diagonal);
  for (int64_t n = u->count; n < stride; ++n)
    l->diagonal[n] = 1;
  bp_workspace_give(l->vectors, BP_OPERAND_ids, u->ids);
  bp_workspace_give(l->vectors, BP_OPERAND_first, u->first);
  bp_workspace_give(l->vectors, BP_OPERAND_starts, u->starts);
  bp_workspace_give(l->vectors, BP_OPERAND_copied, u->copies);
  bp_workspace_give(l->vectors, BP_OPERAND_diagonal, l->diagonal);
  bp_workspace_give(l->vectors, BP_OPERAND_transfer, l->transfer);
}

/* Values at this level's nodes of the next one's functions. */
static void find_transfer(bp_elements_level *l, int next)
{
  double fine[BP_POINTS_MAX], coarse[BP_POINTS_MAX], weights[BP_POINTS_MAX];
  const int nq = l->assembled.space.degree + 1;
  l->transfer = bp_alloc((size_t)nq * (size_t)nq, sizeof *l->transfer);
  if (next == 0)
    return;
  bp_quadrature_lobatto(nq, fine, weights);
  bp_quadrature_lobatto(next + 1, coarse, weights);
  bp_basis_interpolate(next + 1, coarse, nq, fine, l->transfer);
}

static bp_status make_system(bp_multigrid *m, bp_elements_level *l, int degree)
{
  const bp_system *first = m->scheme->system;
  bp_space space = first->problem->space;
  space.points += degree - space.degree;
  space.degree = degree;
  const bp_system_options options = {
      .row = first->row, .space = space, .lambda = first->problem->lambda, .iterations = 1};
  return bp_system_create_fixed(options, m->options.fixed, first->mesh, &l->system);
}

static bp_status make_level(bp_multigrid *m, int n)
{
  bp_elements_level *l = &m->levels[n];
  bp_status status = BP_OK;
  if (n == 0)
    l->system = m->outer.system;
  else
    status = make_system(m, l, m->degrees[n]);
  if (status)
    return status;
  l->assembled = *l->system->problem;
  l->assembled.space.precision = BP_SINGLE;
  l->assembled.space.jacobi = true;
  l->assembled.iterations = 1;
  find_transfer(l, n < m->count - 1 ? m->degrees[n + 1] : 0);
  status =
      bp_workspace_create(m->device, &l->assembled, m->scheme->workspace->guarded, &l->vectors);
  if (status)
    return status;
  give_vectors(l);
  status = bp_plan_create(l->vectors, &m->choice, &l->own);
  return status ? status : make_operator(m, l);
}

static void destroy_elements(bp_multigrid *m, bp_elements_level *l, bool is_own)
{
  bp_array_destroy(m->device, &l->fields_u);
  bp_array_destroy(m->device, &l->fields_v);
  bp_plan_destroy(l->apply);
  bp_workspace_destroy(l->elements);
  bp_problem_destroy(l->separate);
  if (!is_own)
    return;
  bp_plan_destroy(l->own);
  bp_workspace_destroy(l->vectors);
  bp_array_destroy(m->device, &l->boxes);
  bp_array_destroy(m->device, &l->beyond);
  bp_schwarz_destroy(l->schwarz);
  bp_free(l->diagonal);
  bp_free(l->transfer);
}

/* ---- running parts of it ---- */

static bp_status run_program(bp_multigrid *m, const bp_multigrid_maker *k)
{
  const bp_run once = {
      .steps = k->program->steps, .steps_count = k->program->count, .repetitions = 1};
  bp_status status = bp_multigrid_end(k);
  return status ? status : m->device->backend->run(m->device, &once, m->choice.variant->id, NULL);
}

/* A level's vector as floats, `stride` apart, of doubles that lie `count` apart; and back. */
static bp_status put(bp_multigrid *m, const bp_elements_level *l, bp_address to, const double *x)
{
  const bp_level_vectors v = bp_multigrid_vectors(l);
  const int64_t fields = l->assembled.space.fields;
  float *floats = bp_alloc((size_t)(fields * v.stride), sizeof *floats);
  for (int64_t f = 0; f < fields; ++f)
    for (int64_t n = 0; n < v.rows; ++n)
      floats[f * v.stride + n] = (float)x[f * v.rows + n];
  bp_status status =
      m->device->backend->write(m->device, to, floats, fields * v.stride * (int64_t)sizeof *floats);
  bp_free(floats);
  return status;
}

static bp_status take(bp_multigrid *m, const bp_elements_level *l, bp_address from, double *x)
{
  const bp_level_vectors v = bp_multigrid_vectors(l);
  const int64_t fields = l->assembled.space.fields;
  float *floats = bp_alloc_array((size_t)(fields * v.stride), sizeof *floats);
  bp_status status = m->device->backend->read(m->device, floats, from,
                                              fields * v.stride * (int64_t)sizeof *floats);
  for (int64_t f = 0; f < fields && !status; ++f)
    for (int64_t n = 0; n < v.rows; ++n)
      x[f * v.rows + n] = floats[f * v.stride + n];
  bp_free(floats);
  return status;
}

bp_status bp_multigrid_cycle(bp_multigrid *multigrid, const double *b, double *x)
{
  const bp_elements_level *l = &multigrid->levels[0];
  const bp_level_vectors v = bp_multigrid_vectors(l);
  bp_program program = {0};
  const bp_multigrid_maker k = bp_multigrid_begin(multigrid, &program);
  bp_multigrid_add_cycle(&k);
  bp_status status = put(multigrid, l, v.b, b);
  if (!status)
    status = run_program(multigrid, &k);
  bp_program_destroy(&program);
  return status ? status : take(multigrid, l, v.x, x);
}

/* ---- eigenvalues ---- */

/* A p and S r of a level, whichever it is. */
typedef struct {
  int64_t count, size; /* of a component; of all */
  bp_status (*apply)(void *context, const double *p, double *ap);
  bp_status (*smooth)(void *context, const double *r, double *z);
  void *context;
} pencil;

static bp_status find_largest(const pencil *s, const uint8_t *is_fixed, double *largest)
{
  double alpha[LANCZOS], beta[LANCZOS],
      *r = bp_alloc((size_t)s->size, sizeof *r), *z = bp_alloc((size_t)s->size, sizeof *z),
      *p = bp_alloc((size_t)s->size, sizeof *p), *ap = bp_alloc((size_t)s->size, sizeof *ap),
      rz = 0;
  int steps = 0;
  for (int64_t n = 0; n < s->count; ++n) {
    bp_random random = bp_random_start((uint64_t)n + 1);
    r[n] = is_fixed && is_fixed[n] ? 0 : 2 * bp_random_unit(&random) - 1;
  }
  bp_status status = s->smooth(s->context, r, z);
  rz = bp_system_dot(s->size, r, z);
  const double first = rz;
  while (!status && steps < LANCZOS && rz > 1e-10 * first) {
    for (int64_t n = 0; n < s->size; ++n)
      p[n] = z[n] + (steps ? beta[steps - 1] * p[n] : 0);
    status = s->apply(s->context, p, ap);
    const double pap = bp_system_dot(s->size, p, ap), before = rz;
    if (status || !(pap > 0))
      break;
    alpha[steps] = rz / pap;
    for (int64_t n = 0; n < s->size; ++n)
      r[n] -= alpha[steps] * ap[n];
    status = s->smooth(s->context, r, z);
    rz = bp_system_dot(s->size, r, z);
    beta[steps++] = fmax(rz, 0) / before;
  }
  *largest = steps ? above * bp_lanczos_largest(steps, alpha, beta) : 1;
  bp_free(r);
  bp_free(z);
  bp_free(p);
  bp_free(ap);
  return status;
}

typedef struct {
  bp_multigrid *m;
  bp_elements_level *l;
} on_device;

static bp_status apply_elements(void *context, const double *p, double *ap)
{
  const on_device *c = context;
  const bp_level_vectors v = bp_multigrid_vectors(c->l);
  bp_program program = {0};
  const bp_multigrid_maker k = bp_multigrid_begin(c->m, &program);
  bp_multigrid_apply(&k, c->l, v.d);
  bp_multigrid_smooth(&k, c->l, (bp_smooth){.flags = BP_MG_TAKES_B});
  bp_status status = put(c->m, c->l, v.d, p);
  if (!status)
    status = run_program(c->m, &k);
  bp_program_destroy(&program);
  return status ? status : take(c->m, c->l, v.b, ap);
}

static bp_status smooth_by_schwarz(const on_device *c, const double *r, double *z)
{
  const bp_level_vectors v = bp_multigrid_vectors(c->l);
  bp_program program = {0};
  const bp_multigrid_maker k = bp_multigrid_begin(c->m, &program);
  bp_multigrid_schwarz(&k, c->l);
  bp_status status = put(c->m, c->l, v.r, r);
  if (!status)
    status = run_program(c->m, &k);
  bp_program_destroy(&program);
  return status ? status : take(c->m, c->l, v.d, z);
}

static bp_status smooth_elements(void *context, const double *r, double *z)
{
  const on_device *c = context;
  if (c->l->schwarz)
    return smooth_by_schwarz(c, r, z);
  const int64_t count = c->l->system->unknowns->count;
  for (int64_t n = 0; n < bp_system_size(c->l->system); ++n)
    z[n] = r[n] / c->l->diagonal[n % count];
  return BP_OK;
}

static bp_status upload(bp_multigrid *m, const char *name, int64_t count, int bytes,
                        const void *values, bool is_narrow, bp_array *array)
{
  bp_status status = bp_array_create(m->device, name, count > 0 ? count : 1, bytes, false, array);
  array->is_narrow = is_narrow;
  if (count == 0)
    return status ? status : bp_array_clear(m->device, array);
  return status ? status : bp_array_write(m->device, array, values);
}

static bp_status make_schwarz(bp_multigrid *m, bp_elements_level *l)
{
  const bool layer = m->options.smoother == BP_SMOOTHER_RAS;
  const int nq = l->assembled.space.degree + 1;
  const int64_t elements = l->assembled.elements;
  if (m->options.smoother == BP_SMOOTHER_JACOBI)
    return BP_OK;
  bp_status status = bp_schwarz_create(l->system, layer, &l->schwarz);
  if (status)
    return status;
  const int n = l->schwarz->nodes;
  status = upload(m, "boxes of elements", elements * 3 * (n * n + n), sizeof(float),
                  l->schwarz->boxes, true, &l->boxes);
  if (!status && layer)
    status = upload(m, "nodes beyond faces", elements * 6 * nq * nq, sizeof(int),
                    l->schwarz->beyond, false, &l->beyond);
  return status;
}

/* Of a smoother that is not symmetric, by powers. */
static bp_status find_largest_power(const pencil *s, const uint8_t *is_fixed, double *largest)
{
  enum { POWERS = 20 };
  double *p = bp_alloc((size_t)s->size, sizeof *p), *ap = bp_alloc((size_t)s->size, sizeof *ap);
  bp_status status = BP_OK;
  for (int64_t n = 0; n < s->count; ++n) {
    bp_random random = bp_random_start((uint64_t)n + 1);
    p[n] = is_fixed[n] ? 0 : 2 * bp_random_unit(&random) - 1;
  }
  *largest = 1;
  for (int k = 0; k < POWERS && !status; ++k) {
    const double norm = sqrt(bp_system_dot(s->size, p, p));
    for (int64_t n = 0; n < s->size && norm > 0; ++n)
      p[n] /= norm;
    *largest = norm > 0 && k > 0 ? above * norm : *largest;
    status = s->apply(s->context, p, ap);
    if (!status)
      status = s->smooth(s->context, ap, p);
  }
  bp_free(p);
  bp_free(ap);
  return status;
}

static bp_status find_smoother(bp_multigrid *m, bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  on_device context = {m, l};
  const pencil s = {u->count, bp_system_size(l->system), apply_elements, smooth_elements, &context};
  uint8_t *is_fixed = bp_alloc((size_t)u->count, sizeof *is_fixed);
  double largest = 1;
  bp_unknowns_fixed(u, is_fixed);
  bp_status status = make_schwarz(m, l);
  if (!status)
    status = l->schwarz && l->schwarz->layer ? find_largest_power(&s, is_fixed, &largest)
                                             : find_largest(&s, is_fixed, &largest);
  l->smoother = bp_chebyshev_of(m->options.smoothing, largest);
  bp_free(is_fixed);
  return status;
}

/* ---- levels of rows ---- */

typedef struct {
  const bp_sparse *a;
  const double *diagonal;
} on_rows;

static bp_status apply_rows(void *context, const double *p, double *ap)
{
  const bp_sparse *a = ((const on_rows *)context)->a;
  for (int n = 0; n < a->rows; ++n) {
    ap[n] = 0;
    for (int i = a->starts[n]; i < a->starts[n + 1]; ++i)
      ap[n] += a->value[i] * p[a->column[i]];
  }
  return BP_OK;
}

/* 0 in empty rows. */
static bp_status smooth_rows(void *context, const double *r, double *z)
{
  const on_rows *c = context;
  for (int n = 0; n < c->a->rows; ++n)
    z[n] = c->a->starts[n] < c->a->starts[n + 1] ? r[n] / c->diagonal[n] : 0;
  return BP_OK;
}

static bp_status upload_sparse(bp_multigrid *m, const bp_sparse *a, bp_device_sparse *to)
{
  const int64_t count = a->starts[a->rows];
  bp_status status =
      upload(m, "rows of a matrix", a->rows + 1, sizeof(int), a->starts, false, &to->starts);
  if (!status)
    status = upload(m, "columns of a matrix", count, sizeof(int), a->column, false, &to->columns);
  return status ? status : upload(m, "a matrix", count, sizeof(float), a->value, true, &to->values);
}

/* Vectors of its own but for the first one, which has those of N = 1. */
static bp_status make_vectors(bp_multigrid *m, bp_rows_level *l, const double *diagonal)
{
  enum { B, X, R, D, T, DIAGONAL };
  const bp_elements_level *last = &m->levels[m->count - 1];
  const int64_t fields = last->assembled.space.fields;
  const bool is_first = l == m->rows;
  bp_status status = BP_OK;
  l->at.rows = l->a.rows;
  l->at.stride = l->a.rows > 0 ? l->a.rows : 1;
  if (is_first)
    l->at = bp_multigrid_vectors(last);
  bp_address *const places[] = {&l->at.b, &l->at.x, &l->at.r, &l->at.d, &l->at.t, &l->at.diagonal};
  for (int n = 0; n <= T && !status; ++n)
    if (!is_first || n == T) {
      status = bp_array_create(m->device, "a level's vector", fields * l->at.stride, sizeof(float),
                               false, &l->own[n]);
      *places[n] = l->own[n].data;
    }
  if (!status && !is_first) {
    status = upload(m, "a level's diagonal", l->at.rows, sizeof(float), diagonal, true,
                    &l->own[DIAGONAL]);
    l->at.diagonal = l->own[DIAGONAL].data;
  }
  return status;
}

static int count_rows(const bp_sparse *a)
{
  int count = 0;
  for (int n = 0; n < a->rows; ++n)
    count += a->starts[n] < a->starts[n + 1];
  return count;
}

/* The way to the next level, and its matrix. */
static bp_status make_next(bp_multigrid *m, bp_rows_level *l, double *diagonal)
{
  on_rows context = {&l->a, diagonal};
  const pencil s = {l->a.rows, l->a.rows, apply_rows, smooth_rows, &context};
  double largest = 1;
  l->is_smoothed = count_rows(&l->a) > m->options.coarse;
  if (l->is_smoothed)
    (void)find_largest(&s, NULL, &largest);
  l->smoother = bp_chebyshev_of(m->options.smoothing, largest);
  l->up =
      l->is_smoothed ? bp_sparse_aggregation(&l->a, strong, largest) : bp_sparse_injection(&l->a);
  l->down = bp_sparse_transpose(&l->up);
  bp_sparse half = bp_sparse_product(&l->a, &l->up);
  l[1].a = bp_sparse_product(&l->down, &half);
  bp_sparse_destroy(&half);
  bp_status status = l->is_smoothed ? upload_sparse(m, &l->a, &l->on_device[0]) : BP_OK;
  if (!status)
    status = upload_sparse(m, &l->down, &l->on_device[1]);
  return status ? status : upload_sparse(m, &l->up, &l->on_device[2]);
}

static bp_status make_inverse(bp_multigrid *m, const bp_sparse *a)
{
  const size_t count = (size_t)a->rows * (size_t)a->rows;
  m->inverse = bp_alloc_array(count + 1, sizeof *m->inverse);
  bp_sparse_inverse(a, m->inverse);
  return upload(m, "the inverse of N = 1", (int64_t)count, sizeof(float), m->inverse, true,
                &m->inverse_on_device);
}

/* Down to what a dense inverse may have. */
static bp_status make_rows(bp_multigrid *m)
{
  const bp_system *last = m->levels[m->count - 1].system;
  bp_matrix *matrix;
  bp_status status = bp_matrix_create(last, &matrix);
  if (status)
    return status;
  m->rows[0].a = bp_sparse_of(matrix, (int)last->unknowns->count);
  bp_matrix_destroy(matrix);
  for (bool is_last = false; !is_last && !status;) {
    bp_rows_level *l = &m->rows[m->rows_count++];
    double *diagonal = bp_alloc_array((size_t)l->a.rows + 1, sizeof *diagonal);
    bp_sparse_diagonal(&l->a, diagonal);
    is_last = m->rows_count > 1 && l->a.rows <= m->options.coarse;
    status = make_vectors(m, l, diagonal);
    if (!status && !is_last && m->rows_count == BP_ROWS_LEVELS)
      status = bp_fail(BP_SKIPPED, "coarse: more than %d levels lead to %d unknowns",
                       BP_ROWS_LEVELS, m->options.coarse);
    if (!status)
      status = is_last ? make_inverse(m, &l->a) : make_next(m, l, diagonal);
    bp_free(diagonal);
  }
  return status;
}

static void destroy_rows(bp_multigrid *m, bp_rows_level *l)
{
  bp_sparse_destroy(&l->a);
  bp_sparse_destroy(&l->down);
  bp_sparse_destroy(&l->up);
  for (int n = 0; n < 3; ++n) {
    bp_array_destroy(m->device, &l->on_device[n].starts);
    bp_array_destroy(m->device, &l->on_device[n].columns);
    bp_array_destroy(m->device, &l->on_device[n].values);
  }
  for (size_t n = 0; n < sizeof l->own / sizeof *l->own; ++n)
    bp_array_destroy(m->device, &l->own[n]);
}

/* ---- all of it ---- */

static bp_status make_outer(bp_multigrid *m)
{
  const bp_system *system = m->scheme->system;
  m->outer.system = (bp_system *)(uintptr_t)system;
  m->outer.assembled = *system->problem;
  const double norm = sqrt(bp_system_dot(bp_system_size(system), m->scheme->f, m->scheme->f));
  m->scale = norm > 0 ? 1 / norm : 1;
  m->schedule = bp_alloc((size_t)BP_SCHEDULE_ROWS * BP_MG_ROW, sizeof *m->schedule);
  bp_status status =
      bp_array_create(m->device, "the schedule", (int64_t)BP_SCHEDULE_ROWS * BP_MG_ROW,
                      sizeof *m->schedule, false, &m->schedule_on_device);
  return status ? status : make_operator(m, &m->outer);
}

static bp_status make_levels(bp_multigrid *m)
{
  const int degree = m->scheme->system->problem->space.degree;
  bp_status status = bp_multigrid_levels(m->options.levels, degree, m->degrees, &m->count);
  if (!status)
    status = make_outer(m);
  for (int n = 0; n < m->count && !status; ++n)
    status = make_level(m, n);
  for (int n = 0; n < m->count - 1 && !status; ++n)
    status = find_smoother(m, &m->levels[n]);
  return status ? status : make_rows(m);
}

static bp_status create(bp_scheme *scheme, const bp_choice *choice,
                        const bp_multigrid_options *options, bp_multigrid **multigrid)
{
  bp_multigrid *m = bp_alloc(1, sizeof *m);
  m->scheme = scheme;
  m->device = scheme->workspace->device;
  m->generation = m->device->generation;
  m->choice = *choice;
  if (options)
    m->options = *options;
  bp_status status = options ? make_levels(m) : make_outer(m);
  *multigrid = status ? NULL : m;
  if (status)
    bp_multigrid_destroy(m);
  return status;
}

bp_status bp_multigrid_create(bp_scheme *scheme, const bp_choice *choice,
                              const bp_multigrid_options *options, bp_multigrid **multigrid)
{
  return create(scheme, choice, options, multigrid);
}

bp_status bp_multigrid_create_around(bp_scheme *scheme, const bp_choice *choice,
                                     bp_multigrid **multigrid)
{
  return create(scheme, choice, NULL, multigrid);
}

void bp_multigrid_destroy(bp_multigrid *multigrid)
{
  bp_multigrid *m = multigrid;
  if (!m)
    return;
  for (int n = 0; n < BP_ROWS_LEVELS; ++n)
    destroy_rows(m, &m->rows[n]);
  for (int n = 0; n < m->count; ++n) {
    destroy_elements(m, &m->levels[n], true);
    if (n > 0)
      bp_system_destroy(m->levels[n].system);
  }
  destroy_elements(m, &m->outer, false);
  bp_array_destroy(m->device, &m->inverse_on_device);
  bp_array_destroy(m->device, &m->schedule_on_device);
  bp_free(m->inverse);
  bp_free(m->schedule);
  bp_free(m);
}
