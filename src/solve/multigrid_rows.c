/* multigrid_rows.c -- levels without elements, below N = 1: aggregates, and the last one's inverse. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "kernels/abi/multigrid.h"

/* Of entries in a matrix of N = 1 that join unknowns. */
static const double strong = 0.08;

typedef struct {
  const bp_sparse *a;
  const double *weights;
} on_rows;

static bp_status apply(void *context, const double *p, double *ap)
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
static bp_status smooth(void *context, const double *r, double *z)
{
  const on_rows *c = context;
  for (int n = 0; n < c->a->rows; ++n)
    z[n] = c->a->starts[n] < c->a->starts[n + 1] ? r[n] * c->weights[n] : 0;
  return BP_OK;
}

static bp_status upload(bp_multigrid *m, const bp_sparse *a, bp_device_sparse *to)
{
  const int64_t count = a->starts[a->rows];
  bp_status status =
      bp_multigrid_upload(m, "rows of a matrix", a->rows + 1, a->starts, false, &to->starts);
  if (!status)
    status = bp_multigrid_upload(m, "columns of a matrix", count, a->column, false, &to->columns);
  return status ? status : bp_multigrid_upload(m, "a matrix", count, a->value, true, &to->values);
}

/* Vectors of its own but for the first one, which has those of N = 1 of a rank that is alone. */
static bp_status make_vectors(bp_multigrid *m, bp_rows_level *l, const double *weights)
{
  enum { B, X, R, D, T, WEIGHTS };
  const bp_elements_level *last = &m->levels[m->count - 1];
  const int64_t fields = last->assembled.space.fields;
  const bool is_first = l == m->rows && !m->whole;
  bp_status status = BP_OK;
  l->at.rows = l->a.rows;
  l->at.stride = l->a.rows > 0 ? l->a.rows : 1;
  if (is_first)
    l->at = bp_multigrid_vectors(last);
  bp_address *const places[] = {&l->at.b, &l->at.x, &l->at.r, &l->at.d, &l->at.t, &l->at.weights};
  for (int n = 0; n <= T && !status; ++n)
    if (!is_first || n == T) {
      status = bp_array_create(m->device, "a level's vector", fields * l->at.stride,
                               bp_cycled_bytes(m->outer.assembled.space), false, &l->own[n]);
      *places[n] = l->own[n].data;
    }
  if (!status && !is_first) {
    status =
        bp_multigrid_upload(m, "a level's weights", l->at.rows, weights, true, &l->own[WEIGHTS]);
    l->at.weights = l->own[WEIGHTS].data;
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

/* A 1 for each copy that elements of N = 1 have of an unknown. */
static bp_sparse copies_of(const bp_unknowns *u)
{
  const int count = (int)u->starts[u->count];
  bp_sparse c = {(int)u->count, (int)(u->elements * u->surface_nodes), (int *)u->starts, NULL,
                 NULL};
  c.column = bp_alloc_array((size_t)count + 1, sizeof *c.column);
  c.value = bp_alloc_array((size_t)count + 1, sizeof *c.value);
  for (int n = 0; n < count; ++n) {
    c.column[n] = (int)u->copies[n];
    c.value[n] = 1;
  }
  return c;
}

/* Without smoothing the first level's b is not wanted: the way goes from elements, and, on a CPU, to them. */
static bp_status upload_from_elements(bp_multigrid *m, bp_rows_level *l)
{
  bp_sparse copies = copies_of(m->levels[m->count - 1].system->unknowns),
            down = bp_sparse_product(&l->down, &copies), up = bp_sparse_transpose(&down);
  bp_status status = upload(m, &down, &l->on_device[1]);
  if (!status)
    status = upload(m, m->levels[m->count - 1].copies ? &l->up : &up, &l->on_device[2]);
  copies.starts = NULL; /* the unknowns' */
  bp_sparse_destroy(&copies);
  bp_sparse_destroy(&down);
  bp_sparse_destroy(&up);
  return status;
}

/* The way to the next level, and its matrix. */
static bp_status make_next(bp_multigrid *m, bp_rows_level *l, const double *weights)
{
  on_rows context = {&l->a, weights};
  const bp_pencil s = {NULL, l->a.rows, l->a.rows, apply, smooth, &context};
  double largest = 1;
  l->is_smoothed = count_rows(&l->a) > m->options.coarse;
  if (l->is_smoothed)
    (void)bp_pencil_largest(&s, NULL, &largest);
  bp_multigrid_set_smoother(m, largest, l->smoother);
  l->up =
      l->is_smoothed ? bp_sparse_aggregation(&l->a, strong, largest) : bp_sparse_injection(&l->a);
  l->down = bp_sparse_transpose(&l->up);
  bp_sparse half = bp_sparse_product(&l->a, &l->up);
  l[1].a = bp_sparse_product(&l->down, &half);
  bp_sparse_destroy(&half);
  if (!l->is_smoothed && l == m->rows && bp_multigrid_skips_corners(m))
    return upload_from_elements(m, l);
  bp_status status = l->is_smoothed ? upload(m, &l->a, &l->on_device[0]) : BP_OK;
  if (!status)
    status = upload(m, &l->down, &l->on_device[1]);
  return status ? status : upload(m, &l->up, &l->on_device[2]);
}

static bp_status make_inverse(bp_multigrid *m, const bp_sparse *a)
{
  const size_t count = (size_t)a->rows * (size_t)a->rows;
  m->inverse = bp_alloc_array(count + 1, sizeof *m->inverse);
  bp_sparse_inverse(a, m->inverse);
  return bp_multigrid_upload(m, "the inverse of N = 1", (int64_t)count, m->inverse, true,
                             &m->inverse_on_device);
}

/* Weights of N = 1 are the literal operator's, as a level with elements has them. */
static void find_weights(const bp_multigrid *m, const bp_rows_level *l, double *weights)
{
  if (l == m->rows && m->whole)
    bp_system_diagonal(m->whole, weights);
  else
    bp_sparse_diagonal(&l->a, weights);
  for (int n = 0; n < l->a.rows; ++n)
    weights[n] = 1 / weights[n];
}

/* Down to what a dense inverse may have. */
static bp_status make_all(bp_multigrid *m)
{
  bp_system *last = m->whole ? m->whole : m->levels[m->count - 1].system;
  bp_matrix *matrix;
  bp_status status = bp_matrix_create(last, &matrix);
  if (status)
    return status;
  m->rows[0].a = bp_sparse_of(matrix, (int)last->unknowns->count);
  bp_matrix_destroy(matrix);
  for (bool is_last = false; !is_last && !status;) {
    bp_rows_level *l = &m->rows[m->rows_count++];
    double *weights = bp_alloc_array((size_t)l->a.rows + 1, sizeof *weights);
    find_weights(m, l, weights);
    is_last = m->rows_count > 1 && l->a.rows <= m->options.coarse;
    status = make_vectors(m, l, weights);
    if (!status && !is_last && m->rows_count == BP_ROWS_LEVELS)
      status = bp_fail(BP_SKIPPED, "coarse: more than %d levels lead to %d unknowns",
                       BP_ROWS_LEVELS, m->options.coarse);
    if (!status)
      status = is_last ? make_inverse(m, &l->a) : make_next(m, l, weights);
    bp_free(weights);
  }
  return status;
}

bp_status bp_multigrid_make_rows(bp_multigrid *m)
{
  if (!bp_multigrid_has_ranks(m))
    return make_all(m);
  const bp_comm *comm = m->scheme->system->comm;
  bp_space space = m->scheme->system->problem->space;
  space.points += 1 - space.degree;
  space.degree = 1;
  const bp_system_options options = {.row = m->scheme->system->row,
                                     .space = space,
                                     .lambda = m->scheme->system->problem->lambda,
                                     .iterations = 1};
  bp_status status = comm->rank == 0 ? bp_system_create_fixed(options, m->options.fixed,
                                                              m->options.whole, &m->whole)
                                     : BP_OK;
  if (!status && comm->rank == 0)
    status = make_all(m);
  status = bp_comm_agree(m->scheme->system->comm, status);
  return status ? status : bp_multigrid_tell_last(m);
}

void bp_multigrid_destroy_rows(bp_multigrid *m)
{
  bp_system_destroy(m->whole);
  for (bp_rows_level *l = m->rows; l < m->rows + BP_ROWS_LEVELS; ++l) {
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
  bp_array_destroy(m->device, &m->inverse_on_device);
  bp_free(m->inverse);
}
