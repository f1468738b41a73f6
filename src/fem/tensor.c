/* tensor.c -- one direction after the other. */
#include "fem/tensor.h"

#include "base/vectors.h"
#include "fem/quadrature.h"

/* A matrix or its transpose: entry (b, a) is m[b * row + a * column]. */
typedef struct {
  const double *m;
  int to, from, row, column;
} matrix;

static matrix matrix_of(int rows, int columns, const double *m, bool is_transposed)
{
  return is_transposed ? (matrix){m, columns, rows, 1, columns}
                       : (matrix){m, rows, columns, columns, 1};
}

enum { AT_ONCE = 4 };

/* The sums over a of m(b, a) in[a * step] for b and the next three rows, behind the last that one again.
 * Each is added up in the order of a; the four do not wait for each other. */
static void sums_of(const matrix *m, int b, const long double *in, int step,
                    long double sum[AT_ONCE])
{
  const double *row[AT_ONCE];
  long double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int q = 0; q < AT_ONCE; ++q)
    row[q] = m->m + (b + q < m->to ? b + q : m->to - 1) * m->row;
  for (int a = 0; a < m->from; ++a) {
    const long double x = in[a * step];
    const int at = a * m->column;
    s0 += row[0][at] * x;
    s1 += row[1][at] * x;
    s2 += row[2][at] * x;
    s3 += row[3][at] * x;
  }
  sum[0] = s0;
  sum[1] = s1;
  sum[2] = s2;
  sum[3] = s3;
}

/* out[o][b][n] = sum over a of m(b, a) in[o][a][n], or added to it. */
static void contract(matrix m, int outer, int inner, bool adds, const long double *in,
                     long double *out)
{
  long double sum[AT_ONCE];
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < m.to; b += AT_ONCE)
      for (int n = 0; n < inner; ++n) {
        sums_of(&m, b, &in[o * m.from * inner + n], inner, sum);
        for (int q = 0; q < AT_ONCE && b + q < m.to; ++q) {
          long double *to = &out[(o * m.to + b + q) * inner + n];
          *to = adds ? *to + sum[q] : sum[q];
        }
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
  matrix r = matrix_of(m->rows, m->columns, m->r, is_transposed);
  matrix s = matrix_of(m->rows, m->columns, m->s, is_transposed);
  matrix t = matrix_of(m->rows, m->columns, m->t, is_transposed);
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

/* ---- in double ---- */

/* out[o][b] = sum over a of m(b, a) in[o][a]. */
BP_INLINE static void contract_rows(matrix m, int outer, const double *in, double *out)
{
  double columns[BP_POINTS_MAX * BP_POINTS_MAX]; /* [a][b], so that b runs in vectors */
  for (int a = 0; a < m.from; ++a)
    for (int b = 0; b < m.to; ++b)
      columns[a * m.to + b] = m.m[b * m.row + a * m.column];
  for (int o = 0; o < outer; ++o, in += m.from, out += m.to) {
    for (int b = 0; b < m.to; ++b)
      out[b] = 0;
    for (int a = 0; a < m.from; ++a)
#pragma omp simd
      for (int b = 0; b < m.to; ++b)
        out[b] += columns[a * m.to + b] * in[a];
  }
}

/* out[o][b][n] = sum over a of m(b, a) in[o][a][n], or added to it. */
BP_INLINE static void contract_quickly(matrix m, int outer, int inner, bool adds, const double *in,
                                       double *out)
{
  for (int o = 0; o < outer; ++o, in += m.from * inner)
    for (int b = 0; b < m.to; ++b, out += inner) {
      for (int n = 0; n < inner && !adds; ++n)
        out[n] = 0;
      for (int a = 0; a < m.from; ++a) {
        const double entry = m.m[b * m.row + a * m.column], *from = in + a * inner;
#pragma omp simd
        for (int n = 0; n < inner; ++n)
          out[n] += entry * from[n];
      }
    }
}

BP_INLINE static void product_quickly(const bp_tensor *m, bool is_transposed, const double *in,
                                      double *scratch, double *out)
{
  matrix r = matrix_of(m->rows, m->columns, m->r, is_transposed);
  matrix s = matrix_of(m->rows, m->columns, m->s, is_transposed);
  matrix t = matrix_of(m->rows, m->columns, m->t, is_transposed);
  double *half = scratch, *whole = scratch + bp_tensor_scratch(m) / 2;
  contract_rows(r, r.from * r.from, in, half);
  contract_quickly(s, s.from, s.to, false, half, whole);
  contract_quickly(t, 1, t.to * t.to, is_transposed, whole, out);
}

BP_VECTORS void bp_tensor_apply_quickly(const bp_tensor *m, const double *in, double *scratch,
                                        double *out)
{
  product_quickly(m, false, in, scratch, out);
}

BP_VECTORS void bp_tensor_add_transposed_quickly(const bp_tensor *m, const double *in,
                                                 double *scratch, double *out)
{
  product_quickly(m, true, in, scratch, out);
}

void bp_tensor_along(int direction, int n, const double *m, bool is_transposed,
                     const long double *in, long double *out)
{
  const int power[] = {1, n, n * n};
  contract(matrix_of(n, n, m, is_transposed), power[2 - direction], power[direction], is_transposed,
           in, out);
}
