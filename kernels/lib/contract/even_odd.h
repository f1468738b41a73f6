/* even_odd.h -- what kernels that split contractions into even and odd halves share: one-dimensional
 * contractions of lines of nodes, one element per SIMD lane, and the metric along rows. */
#ifndef BP_KERNELS_EVEN_ODD_H
#define BP_KERNELS_EVEN_ODD_H

#include "abi/simd.h"

/* ---- contractions split into even and odd halves ----
 *
 * A matrix with M[b][a] = sign M[to-1-b][from-1-a] maps even vectors to even ones (sign 1: I) or to
 * odd ones (sign -1: D). On x[a] + x[from-1-a] and x[a] - x[from-1-a] it needs half the
 * multiplications. Row b < (to+1)/2 of its table holds (from+1)/2 coefficients of the sums, then
 * from/2 of the differences. */
typedef struct {
  int sign, to, from; /* known when it is compiled */
  const real *table;
} bp_halves;

enum { BP_HALF = 10, BP_TABLE = 10 * 20 }; /* of 20 points, or of 19, the middle included */

/* M[b][a] is m[b * row_step + a * column_step]. */
BP_INLINE bp_halves bp_split(int sign, int to, int from, const real *m, int row_step,
                             int column_step, real *table)
{
  for (int b = 0; b < (to + 1) / 2; ++b) {
    real *row = table + b * from, *difference = row + (from + 1) / 2;
    for (int a = 0; a < from / 2; ++a) {
      real left = m[b * row_step + a * column_step];
      real right = m[b * row_step + (from - 1 - a) * column_step];
      row[a] = (left + right) / 2;
      difference[a] = (left - right) / 2;
    }
    if (from % 2)
      row[from / 2] = m[b * row_step + from / 2 * column_step];
  }
  return (bp_halves){sign, to, from, table};
}

/* A line's sums and differences, the middle value among the sums. */
typedef struct {
  bp_vector even[BP_HALF], odd[BP_HALF];
} bp_folded;

/* Puts the values a and count-1-a into their places. */
BP_INLINE void bp_fold(bp_folded *line, int a, bp_vector left, bp_vector right)
{
  line->even[a] = left + right;
  line->odd[a] = left - right;
}

/* Rows b < to/2 of M times the line, and the rows to-1-b that mirror them. */
BP_INLINE void bp_unfold(bp_halves m, const bp_folded *line, int b, bp_vector *left,
                         bp_vector *right)
{
  const int evens = (m.from + 1) / 2;
  const real *row = m.table + b * m.from;
  bp_vector sum = bp_dot(row, 1, line->even, evens);
  bp_vector difference = bp_dot(row + evens, 1, line->odd, m.from / 2);
  *left = sum + difference;
  *right = m.sign > 0 ? sum - difference : difference - sum;
}

/* The middle row of M, which has one when `to` is odd, times the line. */
BP_INLINE bp_vector bp_middle(bp_halves m, const bp_folded *line)
{
  const int evens = (m.from + 1) / 2;
  const real *row = m.table + m.to / 2 * m.from;
  return m.sign > 0 ? bp_dot(row, 1, line->even, evens)
                    : bp_dot(row + evens, 1, line->odd, m.from / 2);
}

BP_INLINE void bp_fold_line(bp_folded *line, int count, const bp_vector *from, int step)
{
#pragma GCC unroll 8
  for (int a = 0; a < count / 2; ++a)
    bp_fold(line, a, bp_load(from + a * step), bp_load(from + (count - 1 - a) * step));
  if (count % 2)
    line->even[count / 2] = from[count / 2 * step];
}

/* to[b] = sum_a M[b][a] of the line. */
BP_INLINE void bp_unfold_line(bp_halves m, const bp_folded *line, bp_vector *to, int step,
                              bp_prefetcher *ahead)
{
#pragma GCC unroll 8
  for (int b = 0; b < m.to / 2; ++b) {
    bp_prefetch_part(ahead, b, m.to / 2);
    bp_unfold(m, line, b, &to[b * step], &to[(m.to - 1 - b) * step]);
  }
  if (m.to % 2)
    to[m.to / 2 * step] = bp_middle(m, line);
}

/* to[b] = sum_a M[b][a] from[a] along one line of nodes; in place is fine. */
BP_INLINE void bp_contract(bp_halves m, const bp_vector *from, int from_step, bp_vector *to,
                           int to_step, bp_prefetcher *ahead)
{
  bp_folded line;
  bp_fold_line(&line, m.from, from, from_step);
  bp_unfold_line(m, &line, to, to_step, ahead);
}

/* The same, added to what is there. */
BP_INLINE void bp_contract_add(bp_halves m, const bp_vector *from, int from_step, bp_vector *to,
                               int to_step, bp_prefetcher *ahead)
{
  bp_folded line;
  bp_fold_line(&line, m.from, from, from_step);
#pragma GCC unroll 8
  for (int b = 0; b < m.to / 2; ++b) {
    bp_vector left, right;
    bp_prefetch_part(ahead, b, m.to / 2);
    bp_unfold(m, &line, b, &left, &right);
    to[b * to_step] += left;
    to[(m.to - 1 - b) * to_step] += right;
  }
  if (m.to % 2)
    to[m.to / 2 * to_step] += bp_middle(m, &line);
}

/* The same for `count` lines that begin one node after another. */
BP_INLINE void bp_contract_lines(bp_halves m, const bp_vector *from, int from_step, bp_vector *to,
                                 int to_step, int count, bp_prefetcher *ahead)
{
  for (int n = 0; n < count; ++n)
    bp_contract(m, from + n, from_step, to + n, to_step, ahead);
}

BP_INLINE void bp_contract_add_lines(bp_halves m, const bp_vector *from, int from_step,
                                     bp_vector *to, int to_step, int count, bp_prefetcher *ahead)
{
  for (int n = 0; n < count; ++n)
    bp_contract_add(m, from + n, from_step, to + n, to_step, ahead);
}

/* Rows that follow each other. */
BP_INLINE void bp_contract_rows(bp_halves m, const bp_vector *from, bp_vector *to, int count,
                                bp_prefetcher *ahead)
{
  for (int n = 0; n < count; ++n)
    bp_contract(m, from + n * m.from, 1, to + n * m.to, 1, ahead);
}

/* ---- the metric, factors[.][c] in the order of fem/problem.h ---- */

/* The gradient at one point times the metric g; returns the first component. */
BP_INLINE bp_vector bp_metric(const bp_factors *g, bp_vector r, bp_vector *s, bp_vector *t)
{
  const bp_vector us = *s, ut = *t;
  const bp_vector rs = bp_load_factor(g + 1), rt = bp_load_factor(g + 2),
                  st = bp_load_factor(g + 4);
  *s = rs * r + BP_FACTOR(g[3]) * us + st * ut;
  *t = rt * r + st * us + BP_FACTOR(g[5]) * ut;
  return BP_FACTOR(g[0]) * r + rs * us + rt * ut;
}

/* Prefetches a point's factors once more, now from the second-level cache into the first. */
BP_INLINE void bp_metric_soon(const bp_factors *g)
{
#pragma GCC unroll 7
  for (int c = 0; c < 7; c += 64 / (int)sizeof *g)
    __builtin_prefetch(g + c);
}

/* One row of nodes: the derivative along it, the metric, the derivative's transpose and the mass term.
 * s, t: derivatives along the other directions on entry, what their transposes act on on return; u:
 * values, then the row's result. `g` holds 7 factors per point, those of the next row behind them. */
BP_INLINE void bp_metric_row(bp_halves d, bp_halves transposed, real lambda, const bp_factors *g,
                             bp_vector *u, bp_vector *s, bp_vector *t, bp_prefetcher *ahead)
{
  enum { G = 7 };
  const int n = d.from, last = n - 1, parts = 5 * (n / 2);
  bp_folded values, flux;
  bp_fold_line(&values, n, u, 1);
#pragma GCC unroll 8
  for (int i = 0; i < n / 2; ++i) {
    bp_vector left, right;
    bp_prefetch_part(ahead, 3 * i, parts);
    bp_unfold(d, &values, i, &left, &right);
    bp_prefetch_part(ahead, 3 * i + 1, parts);
    bp_metric_soon(g + G * (n + i));
    left = bp_metric(g + G * i, left, s + i, t + i);
    bp_prefetch_part(ahead, 3 * i + 2, parts);
    bp_metric_soon(g + G * (n + last - i));
    right = bp_metric(g + G * (last - i), right, s + last - i, t + last - i);
    bp_fold(&flux, i, left, right);
  }
  if (n % 2)
    flux.even[n / 2] = bp_metric(g + G * (n / 2), bp_middle(d, &values), s + n / 2, t + n / 2);
#pragma GCC unroll 8
  for (int i = 0; i < n / 2; ++i) {
    bp_vector left, right;
    bp_prefetch_part(ahead, 3 * (n / 2) + 2 * i, parts);
    bp_unfold(transposed, &flux, i, &left, &right);
    bp_prefetch_part(ahead, 3 * (n / 2) + 2 * i + 1, parts);
    u[i] = left + lambda * BP_FACTOR(g[G * i + 6]) * u[i];
    u[last - i] = right + lambda * BP_FACTOR(g[G * (last - i) + 6]) * u[last - i];
  }
  if (n % 2)
    u[n / 2] = bp_middle(transposed, &flux) + lambda * BP_FACTOR(g[G * (n / 2) + 6]) * u[n / 2];
}

#endif
