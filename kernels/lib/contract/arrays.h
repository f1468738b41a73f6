/* arrays.h -- whole arrays contracted along one index, written so that compilers find long loops: what the
 * blocked and the factorised kernels share. */
#ifndef BP_KERNELS_ARRAYS_H
#define BP_KERNELS_ARRAYS_H

#include "abi/cpu.h"

/* to[..][b][..] = sum_a m[b * row_step + a * column_step] from[..][a][..]; the contracted index has
 * `inner` values inside it and `outer` outside. */
static inline void bp_array_contract(const double *m, int row_step, int column_step, int from_count,
                                     int to_count, int outer, int inner,
                                     const double *restrict from, double *restrict to)
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
static inline void bp_array_contract_rows(const double *columns, int from_count, int to_count,
                                          int rows, const double *restrict from,
                                          double *restrict to)
{
  for (int n = 0; n < rows; ++n, from += from_count, to += to_count) {
    for (int b = 0; b < to_count; ++b)
      to[b] = columns[b] * from[0];
    for (int a = 1; a < from_count; ++a)
      for (int b = 0; b < to_count; ++b)
        to[b] += columns[a * to_count + b] * from[a];
  }
}

/* m[rows][columns] -> to[columns][rows] */
static inline void bp_array_transpose(const double *m, int rows, int columns, double *to)
{
  for (int b = 0; b < rows; ++b)
    for (int a = 0; a < columns; ++a)
      to[a * rows + b] = m[b * columns + a];
}

/* r, s, t: the gradient, times the metric on return; w: the values, times lambda W on return. Of `count`
 * elements that lie `block` wide side by side; g[e][7][points]. */
static inline void bp_array_metric(const double *g, double lambda, int points, int count, int block,
                                   double *w, double *r, double *s, double *t)
{
  for (int e = 0; e < count; ++e, g += 7 * points)
    for (int n = 0; n < points; ++n) {
      const int m = n * block + e;
      const double ur = r[m], us = s[m], ut = t[m];
      r[m] = g[n] * ur + g[points + n] * us + g[2 * points + n] * ut;
      s[m] = g[points + n] * ur + g[3 * points + n] * us + g[4 * points + n] * ut;
      t[m] = g[2 * points + n] * ur + g[4 * points + n] * us + g[5 * points + n] * ut;
      w[m] *= lambda * g[6 * points + n];
    }
}

/* u[e][n] -> s[n][e] for `block` elements, of which those from `count` on repeat the last. */
static inline void bp_array_interleave(const double *u, int nodes, int count, int block, double *s)
{
  for (int e = 0; e < block; ++e)
    for (int n = 0; n < nodes; ++n)
      s[n * block + e] = u[(e < count ? e : count - 1) * nodes + n];
}

/* The way back, of the first `count` elements. */
static inline void bp_array_separate(const double *s, int nodes, int count, int block, double *v)
{
  for (int e = 0; e < count; ++e)
    for (int n = 0; n < nodes; ++n)
      v[e * nodes + n] = s[n * block + e];
}

#endif
