/* sparse.c -- row by row. */
#include "solve/sparse.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bp_sparse with_rows(int rows, int columns)
{
  return (bp_sparse){rows, columns, bp_alloc((size_t)rows + 1, sizeof(int)), NULL, NULL};
}

/* Once starts[] are known. */
static void make_entries(bp_sparse *a)
{
  const size_t count = (size_t)a->starts[a->rows];
  a->column = bp_alloc_array(count + 1, sizeof *a->column);
  a->value = bp_alloc_array(count + 1, sizeof *a->value);
}

void bp_sparse_destroy(bp_sparse *matrix)
{
  bp_free(matrix->starts);
  bp_free(matrix->column);
  bp_free(matrix->value);
  *matrix = (bp_sparse){0};
}

bp_sparse bp_sparse_of(const bp_matrix *matrix, int unknowns)
{
  bp_sparse a = with_rows(unknowns, unknowns);
  for (int n = 0; n <= unknowns; ++n)
    a.starts[n] = (int)matrix->starts[n];
  make_entries(&a);
  memcpy(a.column, matrix->columns, (size_t)a.starts[unknowns] * sizeof *a.column);
  memcpy(a.value, matrix->values, (size_t)a.starts[unknowns] * sizeof *a.value);
  return a;
}

bp_sparse bp_sparse_transpose(const bp_sparse *a)
{
  bp_sparse t = with_rows(a->columns, a->rows);
  const int count = a->starts[a->rows];
  for (int n = 0; n < count; ++n)
    ++t.starts[a->column[n] + 1];
  for (int n = 0; n < t.rows; ++n)
    t.starts[n + 1] += t.starts[n];
  make_entries(&t);
  int *next = bp_alloc((size_t)t.rows + 1, sizeof *next);
  memcpy(next, t.starts, (size_t)t.rows * sizeof *next);
  for (int row = 0; row < a->rows; ++row)
    for (int n = a->starts[row]; n < a->starts[row + 1]; ++n) {
      const int at = next[a->column[n]]++;
      t.column[at] = row;
      t.value[at] = a->value[n];
    }
  bp_free(next);
  return t;
}

static int compare(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

/* The columns of row n of a b, once each and rising; where[] is -1 and stays so. */
static int columns_of(const bp_sparse *a, const bp_sparse *b, int n, int *where, int *columns)
{
  int count = 0;
  for (int i = a->starts[n]; i < a->starts[n + 1]; ++i)
    for (int j = b->starts[a->column[i]]; j < b->starts[a->column[i] + 1]; ++j)
      if (where[b->column[j]] < 0) {
        where[b->column[j]] = 0;
        columns[count++] = b->column[j];
      }
  for (int c = 0; c < count; ++c)
    where[columns[c]] = -1;
  qsort(columns, (size_t)count, sizeof *columns, compare);
  return count;
}

bp_sparse bp_sparse_product(const bp_sparse *a, const bp_sparse *b)
{
  bp_sparse c = with_rows(a->rows, b->columns);
  for (int fills = 0; fills < 2; ++fills) {
#pragma omp parallel
    {
      int *where = bp_alloc_array((size_t)b->columns + 1, sizeof *where),
          *columns = bp_alloc_array((size_t)b->columns + 1, sizeof *columns);
      memset(where, -1, (size_t)b->columns * sizeof *where);
#pragma omp for schedule(static)
      for (int n = 0; n < a->rows; ++n) {
        const int count = columns_of(a, b, n, where, columns);
        if (!fills) {
          c.starts[n + 1] = count;
          continue;
        }
        for (int k = 0; k < count; ++k) {
          where[columns[k]] = c.starts[n] + k;
          c.column[c.starts[n] + k] = columns[k];
          c.value[c.starts[n] + k] = 0;
        }
        for (int i = a->starts[n]; i < a->starts[n + 1]; ++i)
          for (int j = b->starts[a->column[i]]; j < b->starts[a->column[i] + 1]; ++j)
            c.value[where[b->column[j]]] += a->value[i] * b->value[j];
        for (int k = 0; k < count; ++k)
          where[columns[k]] = -1;
      }
      bp_free(where);
      bp_free(columns);
    }
    for (int n = 0; n < c.rows && !fills; ++n)
      c.starts[n + 1] += c.starts[n];
    if (!fills)
      make_entries(&c);
  }
  return c;
}

void bp_sparse_diagonal(const bp_sparse *a, double *diagonal)
{
  for (int n = 0; n < a->rows; ++n) {
    diagonal[n] = 1;
    for (int i = a->starts[n]; i < a->starts[n + 1]; ++i)
      if (a->column[i] == n)
        diagonal[n] = a->value[i];
  }
}

/* ---- aggregates ---- */

/* of[n]: the aggregate of row n, -1 of none; the matrix of ones. */
static bp_sparse constants(int rows, int aggregates, const int *of)
{
  bp_sparse p = with_rows(rows, aggregates);
  for (int n = 0; n < rows; ++n)
    p.starts[n + 1] = p.starts[n] + (of[n] >= 0);
  make_entries(&p);
  for (int n = 0; n < rows; ++n)
    if (of[n] >= 0) {
      p.column[p.starts[n]] = of[n];
      p.value[p.starts[n]] = 1;
    }
  return p;
}

bp_sparse bp_sparse_injection(const bp_sparse *a)
{
  int *of = bp_alloc_array((size_t)a->rows + 1, sizeof *of), count = 0;
  for (int n = 0; n < a->rows; ++n)
    of[n] = a->starts[n] < a->starts[n + 1] ? count++ : -1;
  bp_sparse p = constants(a->rows, count, of);
  bp_free(of);
  return p;
}

typedef struct {
  const bp_sparse *a;
  const double *diagonal;
  double strong;
  int *of, count;
} aggregates;

static bool is_strong(const aggregates *g, int n, int i)
{
  const int m = g->a->column[i];
  return m != n && fabs(g->a->value[i]) >= g->strong * sqrt(g->diagonal[n] * g->diagonal[m]);
}

/* A row with all its strong neighbours, if none of them is taken. */
static void found(aggregates *g, int n)
{
  bool is_free = g->of[n] == -1 && g->a->starts[n] < g->a->starts[n + 1];
  for (int i = g->a->starts[n]; i < g->a->starts[n + 1] && is_free; ++i)
    is_free = !is_strong(g, n, i) || g->of[g->a->column[i]] == -1;
  for (int i = g->a->starts[n]; i < g->a->starts[n + 1] && is_free; ++i)
    if (is_strong(g, n, i))
      g->of[g->a->column[i]] = g->count;
  if (is_free)
    g->of[n] = g->count++;
}

/* What is left joins the aggregate, of those in `of`, to which its strongest entry leads. */
static int joined(const aggregates *g, int n)
{
  double largest = 0;
  int best = -1;
  for (int i = g->a->starts[n]; i < g->a->starts[n + 1]; ++i) {
    const int m = g->a->column[i];
    if (g->of[m] >= 0 && is_strong(g, n, i) && fabs(g->a->value[i]) > largest) {
      largest = fabs(g->a->value[i]);
      best = g->of[m];
    }
  }
  return best;
}

/* The rest: rows that nothing strong leads to, with what is left of their neighbours. */
static void gather_rest(aggregates *g, int n)
{
  if (g->of[n] >= 0 || g->a->starts[n] == g->a->starts[n + 1])
    return;
  for (int i = g->a->starts[n]; i < g->a->starts[n + 1]; ++i)
    if (g->of[g->a->column[i]] == -1 && is_strong(g, n, i))
      g->of[g->a->column[i]] = g->count;
  g->of[n] = g->count++;
}

bp_sparse bp_sparse_aggregation(const bp_sparse *a, double strong, double largest)
{
  double *diagonal = bp_alloc_array((size_t)a->rows + 1, sizeof *diagonal);
  int *of = bp_alloc_array((size_t)a->rows + 1, sizeof *of),
      *join = bp_alloc_array((size_t)a->rows + 1, sizeof *join);
  aggregates g = {a, diagonal, strong, of, 0};
  bp_sparse_diagonal(a, diagonal);
  memset(of, -1, (size_t)a->rows * sizeof *of);
  for (int n = 0; n < a->rows; ++n)
    found(&g, n);
  for (int n = 0; n < a->rows; ++n)
    join[n] = of[n] >= 0 ? of[n] : joined(&g, n);
  memcpy(of, join, (size_t)a->rows * sizeof *of);
  for (int n = 0; n < a->rows; ++n)
    gather_rest(&g, n);
  bp_sparse ones = constants(a->rows, g.count, of), p = bp_sparse_product(a, &ones);
  for (int n = 0; n < p.rows; ++n)
    for (int i = p.starts[n]; i < p.starts[n + 1]; ++i)
      p.value[i] = (p.column[i] == of[n]) - 4 / (3 * largest) * p.value[i] / diagonal[n];
  bp_sparse_destroy(&ones);
  bp_free(diagonal);
  bp_free(of);
  bp_free(join);
  return p;
}

/* ---- the inverse ---- */

enum { BLOCK = 48 };

/* m[n][n], symmetric: its inverse, in place. */
static void invert_small(int n, double *m)
{
  for (int k = 0; k < n; ++k) {
    const double pivot = 1 / m[k * n + k];
    m[k * n + k] = 1;
    for (int j = 0; j < n; ++j)
      m[k * n + j] *= pivot;
    for (int i = 0; i < n; ++i) {
      const double factor = m[i * n + k];
      if (i == k)
        continue;
      m[i * n + k] = 0;
      for (int j = 0; j < n; ++j)
        m[i * n + j] -= factor * m[k * n + j];
    }
  }
}

/* c[i][j] -= sum over l of a[l][i] b[l][j], for `rows` of c; a and b have rows of n, c of stride. */
static void subtract(int rows, int columns, int inner, const double *a, const double *b, int n,
                     double *c)
{
  for (int i = 0; i < rows; ++i)
    for (int l = 0; l < inner; ++l) {
      const double factor = a[(size_t)l * (size_t)n + (size_t)i];
      const double *from = b + (size_t)l * (size_t)n;
      double *to = c + (size_t)i * (size_t)n;
      for (int j = 0; j < columns; ++j)
        to[j] -= factor * from[j];
    }
}

/* The sweep operator, block by block: at the end m is minus its inverse. Only the upper part is kept up;
 * whole rows of the block at hand are copied to `row` and, times the block's inverse, to `times`. */
static void sweep(int n, int first, int size, double *m, double *row, double *times)
{
  double pivot[BLOCK * BLOCK];
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < n; ++j) {
      const int k = first + i;
      row[(size_t)i * (size_t)n + (size_t)j] =
          j >= k ? m[(size_t)k * (size_t)n + (size_t)j] : m[(size_t)j * (size_t)n + (size_t)k];
    }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      pivot[i * size + j] = row[(size_t)i * (size_t)n + (size_t)(first + j)];
  invert_small(size, pivot);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < size; ++l)
        sum += pivot[i * size + l] * row[(size_t)l * (size_t)n + (size_t)j];
      times[(size_t)i * (size_t)n + (size_t)j] = sum;
    }
#pragma omp parallel for schedule(dynamic, 1)
  for (int b = 0; b < (n + BLOCK - 1) / BLOCK; ++b) {
    const int i = b * BLOCK, rows = n - i < BLOCK ? n - i : BLOCK;
    if (i != first)
      for (int j = i; j < n; j += BLOCK)
        if (j != first)
          subtract(rows, n - j < BLOCK ? n - j : BLOCK, size, times + i, row + j, n,
                   m + (size_t)i * (size_t)n + (size_t)j);
  }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < n; ++j) {
      const int k = first + i;
      const double x = j >= first && j < first + size ? -pivot[i * size + j - first]
                                                      : times[(size_t)i * (size_t)n + (size_t)j];
      if (j >= k)
        m[(size_t)k * (size_t)n + (size_t)j] = x;
      else
        m[(size_t)j * (size_t)n + (size_t)k] = x;
    }
}

void bp_sparse_inverse(const bp_sparse *a, double *inverse)
{
  const size_t n = (size_t)a->rows;
  double *row = bp_alloc_array(n * BLOCK + 1, sizeof *row),
         *times = bp_alloc_array(n * BLOCK + 1, sizeof *times);
  memset(inverse, 0, n * n * sizeof *inverse);
  for (int r = 0; r < a->rows; ++r)
    for (int i = a->starts[r]; i < a->starts[r + 1]; ++i)
      inverse[(size_t)r * n + (size_t)a->column[i]] = a->value[i];
  for (int k = 0; k < a->rows; k += BLOCK)
    sweep(a->rows, k, a->rows - k < BLOCK ? a->rows - k : BLOCK, inverse, row, times);
#pragma omp parallel for schedule(static)
  for (size_t r = 0; r < n; ++r)
    for (size_t c = r; c < n; ++c)
      inverse[r * n + c] = -inverse[r * n + c];
#pragma omp parallel for schedule(static)
  for (size_t r = 0; r < n; ++r)
    for (size_t c = 0; c < r; ++c)
      inverse[r * n + c] = inverse[c * n + r];
  bp_free(row);
  bp_free(times);
}
