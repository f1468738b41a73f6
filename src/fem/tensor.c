/* tensor.c -- one direction after the other. */
#include "fem/tensor.h"

#include <stdbool.h>

/* A matrix or its transpose: entry (b, a) is m[b * row + a * column]. */
typedef struct {
  const double *m;
  int to, from, row, column;
} matrix;

static matrix matrix_of(const bp_tensor *t, const double *m, bool is_transposed)
{
  if (is_transposed)
    return (matrix){m, t->columns, t->rows, 1, t->columns};
  return (matrix){m, t->rows, t->columns, t->columns, 1};
}

static void contract(matrix m, int outer, int inner, bool adds, const long double *in,
                     long double *out)
{
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < m.to; ++b)
      for (int n = 0; n < inner; ++n) {
        long double sum = 0;
        for (int a = 0; a < m.from; ++a)
          sum += m.m[b * m.row + a * m.column] * in[(o * m.from + a) * inner + n];
        long double *to = &out[(o * m.to + b) * inner + n];
        *to = adds ? *to + sum : sum;
      }
}

static int larger(const bp_tensor *m)
{
  return m->rows > m->columns ? m->rows : m->columns;
}

int bp_tensor_scratch(const bp_tensor *m)
{
  return 2 * larger(m) * larger(m) * larger(m);
}

static void product(const bp_tensor *m, bool is_transposed, const long double *in,
                    long double *scratch, long double *out)
{
  matrix r = matrix_of(m, m->r, is_transposed), s = matrix_of(m, m->s, is_transposed),
         t = matrix_of(m, m->t, is_transposed);
  long double *half = scratch, *whole = scratch + bp_tensor_scratch(m) / 2;
  contract(r, r.from * r.from, 1, false, in, half);
  contract(s, s.from, s.to, false, half, whole);
  contract(t, 1, t.to * t.to, is_transposed, whole, out);
}

void bp_tensor_apply(const bp_tensor *m, const long double *in, long double *scratch,
                     long double *out)
{
  product(m, false, in, scratch, out);
}

void bp_tensor_add_transposed(const bp_tensor *m, const long double *in, long double *scratch,
                              long double *out)
{
  product(m, true, in, scratch, out);
}
