/* multigrid_literal.c -- the cycle as the formulas stand: what kernels are compared with. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include <string.h>

/* ---- levels with elements or rows, alike ---- */

typedef struct {
  bp_multigrid *m;
  const bp_elements_level *elements; /* NULL: rows */
  const bp_rows_level *rows;
  int64_t count, size;          /* of a component; of all */
  const bp_chebyshev *smoother; /* [2] */
} level;

static void multiply(const bp_sparse *a, int64_t fields, const double *u, double *v)
{
  for (int64_t f = 0; f < fields; ++f)
    for (int n = 0; n < a->rows; ++n) {
      long double sum = 0;
      for (int i = a->starts[n]; i < a->starts[n + 1]; ++i)
        sum += (long double)a->value[i] * u[f * a->columns + a->column[i]];
      v[f * a->rows + n] = (double)sum;
    }
}

static int64_t fields_of(const bp_multigrid *m)
{
  return m->outer.assembled.space.fields;
}

static void apply(const level *l, const double *u, double *v)
{
  if (l->elements)
    bp_system_apply(l->elements->system, u, v);
  else
    multiply(&l->rows->a, fields_of(l->m), u, v);
}

static void precondition(const level *l, const double *r, double *z)
{
  if (l->elements && l->elements->schwarz) {
    bp_schwarz_apply(l->elements->system, l->elements->schwarz, r, z);
    return;
  }
  if (l->elements) {
    for (int64_t n = 0; n < l->size; ++n)
      z[n] = r[n] * l->elements->weights[n % l->count];
    return;
  }
  double *diagonal = bp_alloc_array((size_t)l->count + 1, sizeof *diagonal);
  bp_sparse_diagonal(&l->rows->a, diagonal);
  for (int64_t n = 0; n < l->size; ++n)
    z[n] = r[n] / diagonal[n % l->count];
  bp_free(diagonal);
}

/* r = b - A x. */
static void find_residual(const level *l, const double *b, const double *x, double *r)
{
  apply(l, x, r);
  for (int64_t n = 0; n < l->size; ++n)
    r[n] = b[n] - r[n];
}

static void relax(const level *l, const bp_chebyshev *c, const double *b, double *x)
{
  double *r = bp_alloc((size_t)l->size + 1, sizeof *r),
         *d = bp_alloc((size_t)l->size + 1, sizeof *d),
         *t = bp_alloc((size_t)l->size + 1, sizeof *t);
  find_residual(l, b, x, r);
  for (int k = 0; k < c->degree; ++k) {
    precondition(l, r, t);
    for (int64_t n = 0; n < l->size; ++n) {
      d[n] = (k ? c->keep[k] * d[n] : 0) + c->gain[k] * t[n];
      x[n] += c->step[k] * d[n];
    }
    apply(l, d, t);
    for (int64_t n = 0; n < l->size; ++n)
      r[n] -= t[n];
  }
  bp_free(r);
  bp_free(d);
  bp_free(t);
}

/* ---- transfers ---- */

/* Numbers of all nodes, [e][k][j][i]; negative where they are fixed. */
static int64_t *numbers_of(const bp_unknowns *u)
{
  const int64_t nq = u->degree + 1, count = u->elements * nq * nq * nq;
  int64_t *numbers = bp_alloc_array((size_t)count, sizeof *numbers);
  uint8_t *is_fixed = bp_alloc((size_t)u->count, sizeof *is_fixed);
  bp_unknowns_number(u, 0, u->elements, numbers);
  bp_unknowns_fixed(u, is_fixed);
  for (int64_t n = 0; n < count; ++n)
    numbers[n] = is_fixed[numbers[n]] ? -1 : numbers[n];
  bp_free(is_fixed);
  return numbers;
}

/* The interpolation between two levels as a matrix. */
static bp_sparse interpolation(const bp_elements_level *fine)
{
  const bp_unknowns *f = fine->system->unknowns, *c = fine[1].system->unknowns;
  const int nq = f->degree + 1, nc = c->degree + 1;
  int64_t *from = numbers_of(c), *to = numbers_of(f);
  bp_sparse p = {(int)f->count, (int)c->count, bp_alloc((size_t)f->count + 1, sizeof(int)), NULL,
                 NULL};
  const int each = nc * nc * nc;
  int64_t *where = bp_alloc((size_t)f->count, sizeof *where); /* 1 + a node */
  for (int64_t n = 0; n < f->elements * nq * nq * nq; ++n)
    if (to[n] >= 0)
      where[to[n]] = n + 1;
  for (int n = 0; n < p.rows; ++n)
    p.starts[n + 1] = p.starts[n] + (where[n] ? each : 0);
  p.column = bp_alloc((size_t)p.starts[p.rows] + 1, sizeof *p.column);
  p.value = bp_alloc((size_t)p.starts[p.rows] + 1, sizeof *p.value);
  for (int n = 0; n < p.rows; ++n)
    for (int m = 0; m < each && where[n]; ++m) {
      const int node = (int)((where[n] - 1) % (nq * nq * nq)),
                at[3] = {node % nq, node / nq % nq, node / nq / nq},
                of[3] = {m % nc, m / nc % nc, m / nc / nc};
      const int64_t id = from[(where[n] - 1) / (nq * nq * nq) * each + m];
      p.column[p.starts[n] + m] = id < 0 ? 0 : (int)id;
      p.value[p.starts[n] + m] = id >= 0;
      for (int d = 0; d < 3; ++d)
        p.value[p.starts[n] + m] *= fine->transfer[at[d] * nc + of[d]];
    }
  bp_free(where);
  bp_free(from);
  bp_free(to);
  return p;
}

/* ---- the cycle ---- */

static level level_of(bp_multigrid *m, int n)
{
  if (n < m->count - 1) {
    const bp_elements_level *l = &m->levels[n];
    return (level){m, l, NULL, l->system->unknowns->count, bp_system_size(l->system), l->smoother};
  }
  const bp_rows_level *l = &m->rows[n - m->count + 1];
  return (level){m, NULL, l, l->a.rows, fields_of(m) * l->a.rows, l->smoother};
}

static void solve_last(const bp_multigrid *m, const level *l, const double *b, double *x)
{
  for (int64_t n = 0; n < l->size; ++n) {
    long double sum = 0;
    for (int64_t i = 0; i < l->count; ++i)
      sum += (long double)m->inverse[n % l->count * l->count + i] * b[n / l->count * l->count + i];
    x[n] = (double)sum;
  }
}

/* Levels of elements, then those of rows, the first of which is N = 1. */
static void cycle(bp_multigrid *m, int n, const double *b, double *x)
{
  const level l = level_of(m, n);
  memset(x, 0, (size_t)l.size * sizeof *x);
  if (n == m->count - 1 + m->rows_count - 1) {
    solve_last(m, &l, b, x);
    return;
  }
  const level next = level_of(m, n + 1);
  const bool is_smoothed = l.elements || l.rows->is_smoothed;
  bp_sparse up = l.elements ? interpolation(l.elements) : l.rows->up,
            down = bp_sparse_transpose(&up);
  double *r = bp_alloc_array((size_t)l.size + 1, sizeof *r),
         *coarse_b = bp_alloc_array((size_t)next.size + 1, sizeof *coarse_b),
         *coarse_x = bp_alloc_array((size_t)next.size + 1, sizeof *coarse_x);
  if (is_smoothed)
    relax(&l, &l.smoother[0], b, x);
  find_residual(&l, b, x, r);
  multiply(&down, fields_of(m), r, coarse_b);
  cycle(m, n + 1, coarse_b, coarse_x);
  multiply(&up, fields_of(m), coarse_x, r);
  for (int64_t i = 0; i < l.size; ++i)
    x[i] += r[i];
  if (is_smoothed)
    relax(&l, &l.smoother[1], b, x);
  bp_sparse_destroy(&down);
  if (l.elements)
    bp_sparse_destroy(&up);
  bp_free(r);
  bp_free(coarse_b);
  bp_free(coarse_x);
}

void bp_multigrid_literal(bp_multigrid *multigrid, const double *b, double *x)
{
  cycle(multigrid, 0, b, x);
}
