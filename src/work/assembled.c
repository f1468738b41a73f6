/* assembled.c -- a system, its files, and its model. */
#include "work/assembled.h"

#include "base/memory.h"
#include "base/random.h"
#include "solve/collect.h"
#include "solve/load.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the model ---- */

static int64_t least_bytes(const bp_case *c, int numbers)
{
  const int64_t points = (int64_t)c->space.points * c->space.points * c->space.points;
  return bp_real_bytes(c->space) * numbers * bp_case_mesh_unique(c) +
         bp_stored_bytes(c->space) * c->elements * c->op->components * points;
}

int64_t bp_assembled_bytes(const bp_case *c, const bp_choice *choice, const bp_device *device,
                           int numbers)
{
  bp_name names[BP_NAMES_MAX];
  int64_t bytes = 0;
  if (!choice)
    return least_bytes(c, numbers);
  bp_unknowns u = bp_case_unknowns(c);
  bp_choice_names(choice, c->op, c->space, c->elements, bp_space_lanes(c->space, device->lanes),
                  device->sms, names);
  bp_unknowns_names(&u, names);
  if (choice->variant->bytes)
    BP_ASSERT(bp_expression_evaluate(choice->variant->bytes, names, &bytes) == BP_OK);
  return bytes;
}

int64_t bp_assembled_flops(const bp_case *c, int each)
{
  return bp_operator_flops(c->op, c->space) * c->elements * c->space.fields +
         each * bp_case_mesh_unique(c);
}

/* Of the host u, v and another, its lists and copies. */
int64_t bp_assembled_vectors(const bp_case *c, bool on_device)
{
  enum { HOST = 3, DEVICE = 8, LISTS = 2 };
  const int64_t unique = bp_case_mesh_unique(c),
                lists = bp_unknowns_bytes(c->space.degree, c->elements, unique / c->space.fields);
  return (on_device ? DEVICE * bp_real_bytes(c->space) : HOST * (int64_t)sizeof(double)) * unique +
         (on_device ? 1 + c->space.fields : LISTS) * lists;
}

/* ---- a system ---- */

static bp_system_options options_of(const bp_stage *s, int iterations)
{
  bp_system_options options = {
      .row = s->c->solve, .space = s->c->space, .lambda = s->c->lambda, .iterations = iterations};
  if (s->is_refined) {
    options.space.precision = BP_DOUBLE;
    options.space.jacobi = false;
    options.space.multigrid = true; /* whose iterations they are */
  }
  return options;
}

bp_status bp_assembled_begin(bp_stage *s, int iterations)
{
  const bp_system_options options = options_of(s, iterations);
  const char *fixed = s->config->fixed;
  bp_partition_kind partition = bp_partition_find(s->config->partition);
  bp_status status =
      s->comm->size > 1
          ? bp_system_distribute(options, fixed, s->mesh, partition, s->comm, &s->system)
          : bp_system_create_fixed(options, fixed, s->mesh, &s->system);
  if (status)
    return status;
  const size_t count = (size_t)bp_system_size(s->system);
  s->problem = s->system->problem;
  s->u = bp_alloc_array(count, sizeof *s->u);
  s->v = bp_alloc_array(count, sizeof *s->v);
  return BP_OK;
}

/* Between -1 and 1, 0 at fixed unknowns. */
static void fill_random(const bp_system *system, uint64_t seed, double *u)
{
  int64_t count = system->unknowns->count;
  bp_random random = bp_random_start(seed);
  uint8_t *is_fixed = bp_alloc((size_t)count, sizeof *is_fixed);
  bp_unknowns_fixed(system->unknowns, is_fixed);
  for (int64_t n = 0; n < bp_system_size(system); ++n) {
    double value = 2 * bp_random_unit(&random) - 1;
    u[n] = is_fixed[n % count] ? 0 : value;
  }
  bp_free(is_fixed);
}

bp_status bp_assembled_input(bp_stage *s)
{
  bp_status status = BP_OK;
  s->reference = bp_alloc_array((size_t)bp_system_size(s->system), sizeof *s->reference);
  if (s->options.u)
    status = bp_load_read(s->system, s->options.u, s->u);
  else
    fill_random(s->system, (uint64_t)s->config->seed, s->u);
  if (!status && s->options.v)
    status = bp_load_read(s->system, s->options.v, s->v);
  if (!status)
    bp_system_apply(s->system, s->u, s->reference);
  return status;
}

bp_status bp_assembled_compare(bp_stage *s, bp_stage_outcome *outcome)
{
  double worst = 0, largest = 0;
  int64_t where = 0;
  for (int64_t n = 0; n < bp_system_size(s->system); ++n) {
    const double d = fabs(s->v[n] - s->reference[n]);
    where = d <= worst ? where : n;
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
    largest = fmax(largest, fabs(s->reference[n]));
  }
  outcome->error = worst > 0 ? worst / largest : 0;
  outcome->tolerance = s->problem->space.precision == BP_SINGLE
                           ? FLT_EPSILON * (32 + 4 * s->problem->space.degree)
                           : 1e-11;
  if (outcome->error <= outcome->tolerance)
    return BP_OK;
  return bp_fail(
      BP_WRONG, "error %.2g, tolerance %.2g; worst at unknown %lld: expected %.17g, found %.17g",
      outcome->error, outcome->tolerance, (long long)where, s->reference[where], s->v[where]);
}

bp_hash bp_assembled_hash(const bp_stage *s, int64_t count, const double *other)
{
  const bp_hash both[2] = {bp_hash_pieces(s->u, (size_t)bp_system_size(s->system) * sizeof *s->u),
                           bp_hash_pieces(other, (size_t)count * sizeof *other)};
  return bp_hash_bytes(both, sizeof both);
}

bool bp_assembled_is_new(const bp_stage *s, bp_status status, const bp_hash *solved,
                         const bp_stage_outcome *outcome)
{
  return bp_comm_largest(s->comm, status || !bp_hash_is_same(*solved, outcome->solved)) > 0;
}

/* ---- files ---- */

/* Rank 0 writes; it has the mesh, and the numbers of the whole. */
static bp_status number(bp_stage *s)
{
  if (s->comm->size == 1 || s->comm->rank > 0 || s->whole)
    return BP_OK;
  return bp_system_number(options_of(s, 0), s->config->fixed, s->mesh, &s->whole);
}

static const bp_unknowns *unknowns_of(const bp_stage *s)
{
  return s->comm->size > 1 ? s->whole : s->system->unknowns;
}

static bp_status write_ids(const bp_stage *s, const bp_files *to)
{
  const bp_unknowns *u = unknowns_of(s);
  int64_t nq = u->degree + 1, nodes = nq * nq * nq, shape[4] = {u->elements, nq, nq, nq};
  int64_t *ids = bp_alloc_array((size_t)(u->elements * nodes), sizeof *ids);
  int64_t *sorted = bp_alloc_array((size_t)(u->elements * nodes), sizeof *sorted);
  bp_unknowns_number(u, 0, u->elements, sorted);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < u->elements; ++e)
    memcpy(ids + s->former[e] * nodes, sorted + e * nodes, (size_t)nodes * sizeof *ids);
  bp_status status = to->write(to->context, "ids", BP_NPY_INT64, 4, shape, ids);
  bp_free(ids);
  bp_free(sorted);
  return status;
}

static bp_status write_space(const bp_stage *s, const bp_files *to)
{
  const bp_unknowns *u = unknowns_of(s);
  int64_t shape[2] = {u->count, 3};
  double *x = bp_alloc_array(3 * (size_t)u->count, sizeof *x);
  uint8_t *is_fixed = bp_alloc_array((size_t)u->count, sizeof *is_fixed);
  bp_unknowns_nodes(u, s->mesh, x);
  bp_unknowns_fixed(u, is_fixed);
  bp_status status = to->write(to->context, "x", BP_NPY_FLOAT64, 2, shape, x);
  if (!status)
    status = write_ids(s, to);
  if (!status)
    status = to->write(to->context, "fixed", BP_NPY_UINT8, 1, shape, is_fixed);
  bp_free(x);
  bp_free(is_fixed);
  return status;
}

bp_status bp_assembled_space(bp_stage *s, const bp_files *to)
{
  bp_status status = number(s);
  if (!status && s->comm->rank == 0)
    status = write_space(s, to);
  return bp_comm_agree(s->comm, status);
}

/* vector[c][n], all ranks'. */
static bp_status write_whole(const bp_stage *s, const char *name, const double *vector,
                             const bp_files *to)
{
  const int components = s->system->row->components;
  const int64_t count = unknowns_of(s)->count, shape[2] = {count, components};
  if (components == 1)
    return to->write(to->context, name, BP_NPY_FLOAT64, 1, shape, vector);
  double *rows = bp_alloc_array((size_t)(count * components), sizeof *rows);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n)
    for (int c = 0; c < components; ++c)
      rows[n * components + c] = vector[c * count + n];
  bp_status status = to->write(to->context, name, BP_NPY_FLOAT64, 2, shape, rows);
  bp_free(rows);
  return status;
}

bp_status bp_assembled_whole(bp_stage *s, const double *vector, bp_whole *whole)
{
  *whole = (bp_whole){.u = vector};
  bp_status status = bp_comm_agree(s->comm, number(s));
  if (status)
    return status;
  if (s->comm->size > 1) {
    const int64_t count = s->whole ? s->system->row->components * s->whole->count : 0;
    whole->owned = bp_alloc_array((size_t)count, sizeof *whole->owned);
    status = bp_system_collect(s->system, s->whole, vector, whole->owned);
    whole->u = s->comm->rank == 0 ? whole->owned : NULL;
  }
  whole->system = *s->system;
  if (whole->u && s->comm->size > 1) {
    whole->system.mesh = s->mesh;
    whole->system.unknowns = s->whole;
  }
  return bp_comm_agree(s->comm, status);
}

void bp_whole_destroy(bp_whole *whole)
{
  bp_free(whole->owned);
}

bp_status bp_assembled_vector(bp_stage *s, const char *name, const double *vector,
                              const bp_files *to)
{
  bp_whole whole;
  bp_status status = bp_assembled_whole(s, vector, &whole);
  if (!status && whole.u)
    status = write_whole(s, name, whole.u, to);
  bp_whole_destroy(&whole);
  return bp_comm_agree(s->comm, status);
}
