/* matrix.c -- the pattern row by row, then the values element by element. */
#include "solve/matrix.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Local nodes of an element: those inside, then those on its surface. */
typedef struct {
  const bp_unknowns *u;
  int inside, nodes;
} numbers;

static numbers numbers_of(const bp_unknowns *u)
{
  int M = u->degree - 1;
  return (numbers){u, M * M * M, M * M * M + u->surface_nodes};
}

/* Negative where it is fixed. */
static int32_t number_at(const numbers *n, int64_t e, int a)
{
  return a < n->inside ? (int32_t)(e * n->inside + a)
                       : n->u->ids[e * n->u->surface_nodes + a - n->inside];
}

/* ---- the pattern ---- */

/* A row while it is put together. */
typedef struct {
  int32_t *columns;
  int64_t count, capacity;
} row;

static void add_element(row *r, const numbers *n, int64_t e)
{
  if (r->count + n->nodes > r->capacity) {
    r->capacity = 2 * r->capacity + 8 * n->nodes;
    r->columns = bp_realloc(r->columns, (size_t)r->capacity, sizeof *r->columns);
  }
  for (int a = 0; a < n->nodes; ++a) {
    int32_t id = number_at(n, e, a);
    r->columns[r->count] = id;
    r->count += id >= 0;
  }
}

static int compare_columns(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* The columns of row `id`, sorted, each once. */
static void find_row(row *r, const numbers *n, int64_t id)
{
  const bp_unknowns *u = n->u;
  int64_t unique = 0;
  r->count = 0;
  if (id < u->inner)
    add_element(r, n, id / n->inside);
  else
    for (uint32_t c = u->starts[id - u->inner]; c < u->starts[id - u->inner + 1]; ++c)
      add_element(r, n, u->copies[c] / (uint32_t)u->surface_nodes);
  qsort(r->columns, (size_t)r->count, sizeof *r->columns, compare_columns);
  for (int64_t c = 0; c < r->count; ++c)
    if (unique == 0 || r->columns[c] != r->columns[unique - 1])
      r->columns[unique++] = r->columns[c];
  r->count = unique;
}

/* Lengths into starts[n + 1], or, once these are sums, columns into their places. */
static void find_rows(const numbers *n, bp_matrix *m, bool is_counting)
{
#pragma omp parallel
  {
    row r = {0};
    add_element(&r, n, 0); /* columns is no NULL */
#pragma omp for schedule(dynamic, 4096)
    for (int64_t id = 0; id < n->u->count; ++id) {
      find_row(&r, n, id);
      if (is_counting)
        m->starts[id + 1] = r.count;
      else
        memcpy(m->columns + m->starts[id], r.columns, (size_t)r.count * sizeof *r.columns);
    }
    bp_free(r.columns);
  }
}

static void find_pattern(const numbers *n, bp_matrix *m)
{
  m->starts = bp_alloc_array((size_t)n->u->count + 1, sizeof *m->starts);
  m->starts[0] = 0;
  find_rows(n, m, true);
  for (int64_t id = 0; id < n->u->count; ++id)
    m->starts[id + 1] += m->starts[id];
  BP_ASSERT(m->starts[n->u->count] <= n->u->pairs);
  m->columns = bp_alloc_array((size_t)n->u->pairs, sizeof *m->columns);
  m->values = bp_alloc_array((size_t)n->u->pairs, sizeof *m->values);
  find_rows(n, m, false);
  for (int64_t at = m->starts[n->u->count]; at < n->u->pairs; ++at) {
    m->columns[at] = 0;
    m->values[at] = 0;
  }
}

/* ---- an element's matrix ---- */

/* Shape functions at the points, in the order of local nodes: value[q][a], slope[d][q][a]. */
typedef struct {
  int nodes, points;
  double *slope[3], *value;
} shapes;

static double *shape_table(const bp_system *s, const double *const along[3], const int *place)
{
  int nq = s->problem->basis.nq, nc = s->problem->basis.nc, nodes = nq * nq * nq;
  double *table = bp_alloc_array((size_t)nc * nc * nc * nodes, sizeof *table), *to = table;
  for (int q = 0; q < nc * nc * nc; ++q)
    for (int a = 0; a < nodes; ++a)
      *to++ = along[0][q % nc * nq + place[a] % nq] *
              along[1][q / nc % nc * nq + place[a] / nq % nq] *
              along[2][q / nc / nc * nq + place[a] / nq / nq];
  return table;
}

static shapes shapes_create(const bp_system *s)
{
  const bp_basis *b = &s->problem->basis;
  numbers n = numbers_of(s->unknowns);
  shapes t = {.nodes = n.nodes, .points = b->nc * b->nc * b->nc};
  double S[BP_POINTS_MAX * BP_POINTS_MAX] = {0};
  int *place = bp_alloc((size_t)n.nodes, sizeof *place);
  bp_unknowns_places(b->degree, place + n.inside, place);
  for (int c = 0; c < b->nc; ++c)
    for (int a = 0; a < b->nq; ++a)
      for (int d = 0; d < b->nc; ++d)
        S[c * b->nq + a] += b->D[c * b->nc + d] * b->I[d * b->nq + a];
  for (int d = 0; d < 3; ++d)
    t.slope[d] = shape_table(
        s, (const double *const[3]){d == 0 ? S : b->I, d == 1 ? S : b->I, d == 2 ? S : b->I},
        place);
  t.value = shape_table(s, (const double *const[3]){b->I, b->I, b->I}, place);
  bp_free(place);
  return t;
}

static void shapes_destroy(shapes *t)
{
  for (int d = 0; d < 3; ++d)
    bp_free(t->slope[d]);
  bp_free(t->value);
}

/* matrix[a][b] += the sum over points of left[q][a] weighted[q][b]. */
static void add_product(const shapes *t, const double *left, const double *weighted, double *matrix)
{
  for (int q = 0; q < t->points; ++q)
    for (int a = 0; a < t->nodes; ++a) {
      double factor = left[q * t->nodes + a];
      const double *right = weighted + q * t->nodes;
      double *to = matrix + a * t->nodes;
#pragma omp simd
      for (int b = 0; b < t->nodes; ++b)
        to[b] += factor * right[b];
    }
}

/* weighted[q][b] = scale * the sum over `count` tables of factor[c][q] table[c][q][b]. */
static void weigh(const shapes *t, double scale, int count, const double *const *factors,
                  const double *const *tables, double *weighted)
{
  for (int q = 0; q < t->points; ++q)
    for (int b = 0; b < t->nodes; ++b) {
      double sum = 0;
      for (int c = 0; c < count; ++c)
        sum += factors[c][q] * tables[c][q * t->nodes + b];
      weighted[q * t->nodes + b] = scale * sum;
    }
}

/* matrix[a][b] of an element with these factors; weighted[points][nodes] is room. */
static void element_matrix(const bp_problem *p, const shapes *t, const double *f, double *weighted,
                           double *matrix)
{
  static const int component[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const double *const mass = f + (p->op->components == 1 ? 0 : 6) * t->points;
  memset(matrix, 0, (size_t)t->nodes * t->nodes * sizeof *matrix);
  for (int d = 0; d < 3 && p->op->components > 1; ++d) {
    const double *g[3];
    for (int c = 0; c < 3; ++c)
      g[c] = f + component[d][c] * t->points;
    weigh(t, 1, 3, g, (const double *const *)t->slope, weighted);
    add_product(t, t->slope[d], weighted, matrix);
  }
  if (p->op->components == 6)
    return;
  weigh(t, p->op->components == 1 ? 1 : p->lambda, 1, &mass, (const double *const *)&t->value,
        weighted);
  add_product(t, t->value, weighted, matrix);
}

/* ---- values ---- */

/* Rows of the unknowns that elements first..last-1 touch first: four runs of numbers. */
typedef struct {
  int64_t first, last, begin[4], end[4];
} share;

static share share_of(const numbers *n, int thread, int threads)
{
  const bp_unknowns *u = n->u;
  share s = {u->elements * thread / threads, u->elements * (thread + 1) / threads, {0}, {0}};
  s.begin[0] = s.first * n->inside;
  s.end[0] = s.last * n->inside;
  for (int c = 0; c < BP_SURFACE_CLASSES; ++c) {
    s.begin[c + 1] = u->first[BP_SURFACE_CLASSES * s.first + c];
    s.end[c + 1] = u->first[BP_SURFACE_CLASSES * s.last + c];
  }
  return s;
}

static bool is_own(const share *s, int32_t id)
{
  bool is = false;
  for (int run = 0; run < 4; ++run)
    is |= id >= s->begin[run] && id < s->end[run];
  return is;
}

/* Later elements that touch own rows, rising; their number. */
static int64_t find_others(const numbers *n, const share *s, row *others)
{
  const bp_unknowns *u = n->u;
  int64_t unique = 0;
  for (int run = 1; run < 4; ++run)
    for (int64_t id = s->begin[run]; id < s->end[run]; ++id)
      for (uint32_t c = u->starts[id - u->inner]; c < u->starts[id - u->inner + 1]; ++c) {
        int32_t e = (int32_t)(u->copies[c] / (uint32_t)u->surface_nodes);
        if (e < s->last)
          continue;
        if (others->count == others->capacity) {
          others->capacity = 2 * others->capacity + 64;
          others->columns =
              bp_realloc(others->columns, (size_t)others->capacity, sizeof *others->columns);
        }
        others->columns[others->count++] = e;
      }
  if (others->count)
    qsort(others->columns, (size_t)others->count, sizeof *others->columns, compare_columns);
  for (int64_t at = 0; at < others->count; ++at)
    if (unique == 0 || others->columns[at] != others->columns[unique - 1])
      others->columns[unique++] = others->columns[at];
  return unique;
}

static double *entry_at(const bp_matrix *m, int32_t from, int32_t to)
{
  int64_t low = m->starts[from], high = m->starts[from + 1] - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (m->columns[middle] < to)
      low = middle + 1;
    else
      high = middle;
  }
  return m->values + low;
}

/* Into own rows. */
static void add_matrix(const numbers *n, const share *s, int64_t e, const double *matrix,
                       bp_matrix *m)
{
  for (int a = 0; a < n->nodes; ++a) {
    int32_t from = number_at(n, e, a);
    if (from < 0 || !is_own(s, from))
      continue;
    for (int b = 0; b < n->nodes; ++b) {
      int32_t to = number_at(n, e, b);
      if (to >= 0)
        *entry_at(m, from, to) += matrix[a * n->nodes + b];
    }
  }
}

/* Elements come in rising order to every row, whoever has it. */
static void fill_share(const bp_system *system, const numbers *n, const shapes *t, const share *s,
                       bp_matrix *m)
{
  const bp_problem *p = system->problem;
  row others = {0};
  int64_t own = s->last - s->first, count = own + find_others(n, s, &others);
  double *weighted = bp_alloc_array((size_t)t->points * t->nodes, sizeof *weighted);
  double *matrix = bp_alloc_array((size_t)t->nodes * t->nodes, sizeof *matrix);
  double *buffer = bp_alloc((size_t)bp_problem_buffer(p), sizeof *buffer);
  for (int run = 0; run < 4; ++run)
    for (int64_t at = m->starts[s->begin[run]]; at < m->starts[s->end[run]]; ++at)
      m->values[at] = 0;
  for (int64_t at = 0; at < count; ++at) {
    int64_t e = at < own ? s->first + at : others.columns[at - own];
    element_matrix(p, t, bp_problem_element(p, e, buffer), weighted, matrix);
    add_matrix(n, s, e, matrix, m);
  }
  bp_free(weighted);
  bp_free(matrix);
  bp_free(buffer);
  bp_free(others.columns);
}

static void fill_values(const bp_system *system, const numbers *n, bp_matrix *m)
{
  shapes t = shapes_create(system);
#pragma omp parallel
  {
    share s = share_of(n, omp_get_thread_num(), omp_get_num_threads());
    fill_share(system, n, &t, &s, m);
  }
  shapes_destroy(&t);
}

/* ---- create, destroy ---- */

static bp_status check(const bp_unknowns *u)
{
  enum { ENTRY = sizeof(double) + sizeof(int32_t), TWICE = 2 };
  int64_t needed = TWICE * ENTRY * u->pairs, available = bp_memory_available();
  char a[32], b[32];
  if (u->degree > BP_MATRIX_DEGREE_MAX)
    return bp_fail(BP_SKIPPED, "matrices are made up to N = %d", BP_MATRIX_DEGREE_MAX);
  if (needed > available)
    return bp_fail(BP_SKIPPED, "the matrix takes %s of memory; %s are available",
                   bp_print_bytes(a, (double)needed), bp_print_bytes(b, (double)available));
  return BP_OK;
}

bp_status bp_matrix_create(const bp_system *system, bp_matrix **matrix)
{
  double start = bp_clock();
  bp_status status = check(system->unknowns);
  *matrix = NULL;
  if (status)
    return status;
  numbers n = numbers_of(system->unknowns);
  bp_matrix *m = *matrix = bp_alloc(1, sizeof *m);
  find_pattern(&n, m);
  fill_values(system, &n, m);
  m->seconds = bp_clock() - start;
  return BP_OK;
}

void bp_matrix_destroy(bp_matrix *matrix)
{
  if (!matrix)
    return;
  bp_free(matrix->starts);
  bp_free(matrix->columns);
  bp_free(matrix->values);
  bp_free(matrix);
}
