/* run_time_lines.h -- even-odd contractions of lines whose length is an argument, one element per SIMD lane.
 *
 * Without constants no line stays in registers. Results do: BP_ROWS rows of the matrix, and the rows that mirror
 * them, of BP_LINES lines. The lines' sums and differences lie in the first-level cache. */
#ifndef BP_KERNELS_RUN_TIME_LINES_H
#define BP_KERNELS_RUN_TIME_LINES_H

#include "lib/contract/even_odd.h"

enum { BP_LINES = 4, BP_ROWS = 2 };

/* Values of lines, `step` from node to node and `line` from line to line. */
typedef struct {
  bp_vector *at;
  int step, line;
} bp_lines;

/* Sums and differences of lines. */
typedef struct {
  bp_vector even[BP_HALF][BP_LINES], odd[BP_HALF][BP_LINES];
} bp_folded_lines;

/* `lines` and `rows` are known when it is compiled, `count` is not. */
BP_INLINE void bp_dot_lines(int lines, int rows, const double *row, int step, int count,
                            const bp_vector x[][BP_LINES], bp_vector sums[BP_ROWS][BP_LINES])
{
#pragma GCC unroll 2
  for (int b = 0; b < rows; ++b)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      sums[b][l] = row[b * step] * x[0][l];
#pragma GCC unroll 1
  for (int a = 1; a < count; ++a) {
    bp_vector line[BP_LINES];
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l)
      line[l] = bp_load(&x[a][l]);
#pragma GCC unroll 2
    for (int b = 0; b < rows; ++b)
#pragma GCC unroll 4
      for (int l = 0; l < lines; ++l)
        sums[b][l] += row[b * step + a] * line[l];
  }
}

BP_INLINE void bp_put(int add, bp_vector *to, bp_vector x)
{
  if (add)
    x += *to;
  *to = x;
}

/* Rows b .. b + rows - 1 of M, all below to/2, and those that mirror them. What is the same in both comes
 * from the sums if M maps even vectors to even ones, else from the differences. */
BP_INLINE void bp_unfold_rows(int lines, int rows, int add, const bp_halves *m,
                              const bp_folded_lines *x, int b, bp_lines to)
{
  const int evens = (m->from + 1) / 2, odds = m->from / 2;
  const double *row = m->table + b * m->from;
  bp_vector same[BP_ROWS][BP_LINES], other[BP_ROWS][BP_LINES];
  bp_dot_lines(lines, rows, m->sign > 0 ? row : row + evens, m->from, m->sign > 0 ? evens : odds,
               m->sign > 0 ? x->even : x->odd, same);
  bp_dot_lines(lines, rows, m->sign > 0 ? row + evens : row, m->from, m->sign > 0 ? odds : evens,
               m->sign > 0 ? x->odd : x->even, other);
#pragma GCC unroll 2
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      bp_vector *left = to.at + (b + r) * to.step + l * to.line;
      bp_vector *right = to.at + (m->to - 1 - b - r) * to.step + l * to.line;
      bp_put(add, left, same[r][l] + other[r][l]);
      bp_put(add, right, same[r][l] - other[r][l]);
    }
}

/* to[b] = sum_a M[b][a] from[a] of `lines` lines, or added to what is there; in place is fine. */
BP_INLINE void bp_contract_some(int lines, int add, const bp_halves *m, bp_lines from, bp_lines to)
{
  const int middle = m->from / 2, evens = (m->from + 1) / 2, half = m->to / 2;
  bp_folded_lines x;
#pragma GCC unroll 1
  for (int a = 0; a < middle; ++a)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      const bp_vector left = from.at[a * from.step + l * from.line];
      const bp_vector right = from.at[(m->from - 1 - a) * from.step + l * from.line];
      x.even[a][l] = left + right;
      x.odd[a][l] = left - right;
    }
  for (int l = 0; l < lines && m->from % 2; ++l)
    x.even[middle][l] = from.at[middle * from.step + l * from.line];
  int b = 0;
#pragma GCC unroll 1
  for (; b + BP_ROWS <= half; b += BP_ROWS)
    bp_unfold_rows(lines, BP_ROWS, add, m, &x, b, to);
  if (b < half)
    bp_unfold_rows(lines, 1, add, m, &x, b, to);
  if (m->to % 2) {
    const double *row = m->table + half * m->from + (m->sign > 0 ? 0 : evens);
    bp_vector sums[BP_ROWS][BP_LINES];
    bp_dot_lines(lines, 1, row, m->from, m->sign > 0 ? evens : middle, m->sign > 0 ? x.even : x.odd,
                 sums);
    for (int l = 0; l < lines; ++l)
      bp_put(add, to.at + half * to.step + l * to.line, sums[0][l]);
  }
}

BP_INLINE void bp_contract_all(int add, const bp_halves *m, bp_lines from, bp_lines to, int count,
                               bp_prefetcher *ahead)
{
  for (; count >= BP_LINES; count -= BP_LINES) {
    bp_prefetch_part(ahead, 0, 1);
    bp_contract_some(BP_LINES, add, m, from, to);
    from.at += BP_LINES * from.line;
    to.at += BP_LINES * to.line;
  }
  if (count)
    bp_prefetch_part(ahead, 0, 1);
  if (count == 3)
    bp_contract_some(3, add, m, from, to);
  else if (count == 2)
    bp_contract_some(2, add, m, from, to);
  else if (count == 1)
    bp_contract_some(1, add, m, from, to);
}

/* The contraction of `count` lines; compiled once. */
static __attribute__((noinline, unused)) void
bp_set_lines(const bp_halves *m, bp_lines from, bp_lines to, int count, bp_prefetcher *ahead)
{
  bp_contract_all(0, m, from, to, count, ahead);
}

static __attribute__((noinline, unused)) void
bp_add_lines(const bp_halves *m, bp_lines from, bp_lines to, int count, bp_prefetcher *ahead)
{
  bp_contract_all(1, m, from, to, count, ahead);
}

/* Lines along j or k: one begins a node after the other. */
BP_INLINE bp_lines bp_across(bp_vector *at, int step)
{
  return (bp_lines){at, step, 1};
}

/* Lines along i that follow each other. */
BP_INLINE bp_lines bp_along(bp_vector *at, int length)
{
  return (bp_lines){at, 1, length};
}

/* A group's nodes on their way back by way of `tail`, where each element is put together, to v: whole
 * aligned vectors past the caches, unless v is tail. */
BP_INLINE void bp_group_store_any(const bp_vector *from, int nodes, double *tail, double *v)
{
  for (int n = 0; n < nodes; n += BP_LANES) {
    const int at = n + BP_LANES <= nodes ? n : nodes - BP_LANES;
    bp_vector rows[BP_LANES];
    bp_group_rows(from, nodes, nodes, at, rows);
    for (int l = 0; l < BP_LANES; ++l)
      *(bp_unaligned *)(tail + l * nodes + at) = rows[l];
  }
  for (int n = 0; v != tail && n < nodes; ++n)
    bp_stream(v + n * BP_LANES, ((const bp_vector *)tail)[n]);
}

#endif
