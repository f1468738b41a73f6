/* bp3.0/factorised -- N known to the compiler, which vectorises the contractions of one element
 *
 * degrees:  1..15
 * scratch:  5 * nc*nc*nc
 *
 * Twelve contractions with every extent a constant; the innermost loop is always over contiguous
 * data, for the direction i by going through the matrix column by column. */
#include "cpu.h"

enum { Q = BP_NQ, C = BP_NC, C2 = C * C, NODES = Q * Q * Q, POINTS = C * C2 };

/* to[..][b][..] = sum_a m[b][a] from[..][a][..] with `inner` > 1 values inside the contracted
 * index. */
static inline void contract(const double *m, int row_step, int column_step, int from_count,
                            int to_count, int outer, int inner, const double *restrict from,
                            double *restrict to)
{
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < to_count; ++b, to += inner) {
      const double *line = from + o * from_count * inner;
      for (int n = 0; n < inner; ++n)
        to[n] = m[b * row_step] * line[n];
      for (int a = 1; a < from_count; ++a)
        for (int n = 0; n < inner; ++n)
          to[n] += m[b * row_step + a * column_step] * line[a * inner + n];
    }
}

/* The same for the innermost index, with columns[a][b] so that the loop over b is contiguous. */
static inline void contract_rows(const double *columns, int from_count, int to_count, int rows,
                                 const double *restrict from, double *restrict to)
{
  for (int n = 0; n < rows; ++n, from += from_count, to += to_count) {
    for (int b = 0; b < to_count; ++b)
      to[b] = columns[b] * from[0];
    for (int a = 1; a < from_count; ++a)
      for (int b = 0; b < to_count; ++b)
        to[b] += columns[a * to_count + b] * from[a];
  }
}

static void transpose(const double *m, int rows, int columns, double *to)
{
  for (int b = 0; b < rows; ++b)
    for (int a = 0; a < columns; ++a)
      to[a * rows + b] = m[b * columns + a];
}

/* r, s, t: the gradient, times the metric on return; w: the values, times lambda W on return. */
static inline void metric(const double *g, double lambda, double *w, double *r, double *s,
                          double *t)
{
  for (int n = 0; n < POINTS; ++n) {
    const double ur = r[n], us = s[n], ut = t[n];
    r[n] = g[n] * ur + g[POINTS + n] * us + g[2 * POINTS + n] * ut;
    s[n] = g[POINTS + n] * ur + g[3 * POINTS + n] * us + g[4 * POINTS + n] * ut;
    t[n] = g[2 * POINTS + n] * ur + g[4 * POINTS + n] * us + g[5 * POINTS + n] * ut;
    w[n] *= lambda * g[6 * POINTS + n];
  }
}

BP_KERNEL
{
  double columns[Q * C], derivatives[C2];
  double *w = a->scratch, *r = w + POINTS, *s = r + POINTS, *t = s + POINTS, *sum = t + POINTS;
  const double *I = a->I, *D = a->D;
  transpose(I, C, Q, columns);
  transpose(D, C, C, derivatives);
  for (int64_t e = first; e < last; ++e) {
    contract_rows(columns, Q, C, Q * Q, a->u + e * NODES, r);
    contract(I, Q, 1, Q, C, Q, C, r, s);
    contract(I, Q, 1, Q, C, 1, C2, s, w);
    contract_rows(derivatives, C, C, C2, w, r);
    contract(D, C, 1, C, C, C, C, w, s);
    contract(D, C, 1, C, C, 1, C2, w, t);
    metric(a->factors + e * 7 * POINTS, a->lambda, w, r, s, t);
    contract_rows(D, C, C, C2, r, sum);
    contract(D, 1, C, C, C, C, C, s, r);
    contract(D, 1, C, C, C, 1, C2, t, s);
    for (int n = 0; n < POINTS; ++n)
      w[n] += sum[n] + r[n] + s[n];
    contract(I, 1, Q, C, Q, 1, C2, w, r);
    contract(I, 1, Q, C, Q, Q, C, r, s);
    contract_rows(I, C, Q, Q * Q, s, a->v + e * NODES);
  }
}
