/* host_assembled.h -- conjugate gradients with the operator as a sparse matrix: what a solve costs that
 * is not matrix-free. direction: p = r + beta p. apply: v = A p and p . v, row by row. update: r -= alpha v,
 * r . r, and x now and then. A kernel file has the option history, its first. */
#ifndef BP_KERNELS_SOLVE_HOST_ASSEMBLED_H
#define BP_KERNELS_SOLVE_HOST_ASSEMBLED_H

#include "lib/solve/host.h"

enum { START, DIRECTION, APPLY, UPDATE, FINISH };

BP_INLINE void find_direction(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const real beta = host_beta(h);
  const real *before = host_p(h, h->k - 1);
  real *now = host_p(h, h->k);
  for (int64_t f = 0; f < h->fields; ++f)
    for (int run = 0; run < RUNS; ++run)
      for (int64_t n = f * a->stride + h->begin[run]; n < f * a->stride + h->end[run]; ++n)
        now[n] = a->r[n] + beta * before[n];
}

/* A row times p, in four sums that do not wait for each other. */
BP_INLINE real row_times(const bp_cpu_arguments *a, int64_t begin, int64_t end, const real *p)
{
  enum { SUMS = 4 };
  real sums[SUMS] = {0};
  int64_t at = begin;
  for (; at + SUMS <= end; at += SUMS)
    for (int s = 0; s < SUMS; ++s)
      sums[s] += a->entries[at + s] * p[a->columns[at + s]];
  for (; at < end; ++at)
    sums[0] += a->entries[at] * p[a->columns[at]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* A row's entries serve all components. */
BP_INLINE void apply(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const real *p = host_p(h, a->counts[COUNT_CURRENT]);
  real sum = 0;
  for (int run = 0; run < RUNS; ++run)
    for (int64_t n = h->begin[run]; n < h->end[run]; ++n)
      for (int64_t f = 0; f < h->fields; ++f) {
        const int64_t at = f * a->stride;
        const real v = row_times(a, a->row_starts[n], a->row_starts[n + 1], p + at);
        a->ap[at + n] = v;
        sum += p[at + n] * v;
      }
  host_leave(h, STATE_PAP, sum);
}

BP_KERNEL
{
  host h = host_begin(a, first, last, (int)a->option[0]);
  switch (a->option[BP_SOLVE_LAUNCH]) {
  case START:
    host_start(&h);
    break;
  case DIRECTION:
    find_direction(&h);
    break;
  case APPLY:
    apply(&h);
    break;
  case UPDATE:
    host_update(&h);
    break;
  default:
    host_finish(&h);
  }
}

#endif
