/* run_time_lines.h -- even-odd contractions whose sizes are arguments, one element per SIMD lane.
 *
 * The length of what is contracted selects one of 19 copies of the code, so that a line's sums and differences stand
 * in registers as in even_odd.h; how many results there are stays a variable. */
#ifndef BP_KERNELS_RUN_TIME_LINES_H
#define BP_KERNELS_RUN_TIME_LINES_H

#include "lib/contract/even_odd.h"

#include <stdbool.h>

/* Values of lines, `step` from node to node and `line` from line to line. */
typedef struct {
  bp_vector *at;
  int step, line;
} bp_lines;

BP_INLINE void bp_put(bool add, bp_vector *to, bp_vector x)
{
  if (add)
    x += *to;
  *to = x;
}

/* to[b] = sum_a M[b][a] from[a] of `count` lines, or added to what is there; in place is fine. `add`,
 * `sign` and `length`, which m->sign and m->from are, are known when it is compiled. */
BP_INLINE void bp_contract_copy(bool add, int sign, int length, const bp_halves *m, bp_lines from,
                                bp_lines to, int count, bp_prefetcher *ahead)
{
  const bp_halves known = {sign, m->to, length, m->table};
  const int half = m->to / 2;
  for (int n = 0; n < count; ++n, from.at += from.line, to.at += to.line) {
    bp_folded line;
    bp_prefetch_part(ahead, 0, 1);
    bp_fold_line(&line, length, from.at, from.step);
#pragma GCC unroll 1
    for (int b = 0; b < half; ++b) {
      bp_vector left, right;
      bp_unfold(known, &line, b, &left, &right);
      bp_put(add, to.at + b * to.step, left);
      bp_put(add, to.at + (m->to - 1 - b) * to.step, right);
    }
    if (m->to % 2)
      bp_put(add, to.at + half * to.step, bp_middle(known, &line));
  }
}

#define BP_COPY(length)                                                                            \
  case length:                                                                                     \
    bp_contract_copy(add, sign, length, m, from, to, count, ahead);                                \
    break

BP_INLINE void bp_contract_any(bool add, int sign, const bp_halves *m, bp_lines from, bp_lines to,
                               int count, bp_prefetcher *ahead)
{
  switch (m->from) {
    BP_COPY(2);
    BP_COPY(3);
    BP_COPY(4);
    BP_COPY(5);
    BP_COPY(6);
    BP_COPY(7);
    BP_COPY(8);
    BP_COPY(9);
    BP_COPY(10);
    BP_COPY(11);
    BP_COPY(12);
    BP_COPY(13);
    BP_COPY(14);
    BP_COPY(15);
    BP_COPY(16);
    BP_COPY(17);
    BP_COPY(18);
    BP_COPY(19);
    BP_COPY(20);
  }
}

#undef BP_COPY

/* By I or its transpose; `count` lines. */
static __attribute__((noinline, unused)) void bp_interpolate_lines(const bp_halves *m,
                                                                   bp_lines from, bp_lines to,
                                                                   int count, bp_prefetcher *ahead)
{
  bp_contract_any(false, 1, m, from, to, count, ahead);
}

/* By D. */
static __attribute__((noinline, unused)) void bp_differentiate_lines(const bp_halves *m,
                                                                     bp_lines from, bp_lines to,
                                                                     int count,
                                                                     bp_prefetcher *ahead)
{
  bp_contract_any(false, -1, m, from, to, count, ahead);
}

/* By D transposed, added to what is there. */
static __attribute__((noinline, unused)) void
bp_add_lines(const bp_halves *m, bp_lines from, bp_lines to, int count, bp_prefetcher *ahead)
{
  bp_contract_any(true, -1, m, from, to, count, ahead);
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
BP_INLINE void bp_group_store_any(const bp_vector *from, int nodes, real *tail, real *v)
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
