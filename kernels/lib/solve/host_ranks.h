/* host_ranks.h -- two passes over the vectors in an iteration, as in host_two_pass.h, by any number of ranks:
 * the same bits with all of them.
 *
 * Sums are exact (exact.h). v of unknowns that other ranks have as well is the sum of all copies in the order of the
 * whole mesh's elements: own elements leave theirs in copies[], those of others come into inbox[]. A kernel file has
 * the option history, its first.
 *
 * state[]: r . r of the iterations, even and odd; alpha of the last ones; from STATE_P on, |p| is at most that, even and
 * odd; the threads' parts of sums (abi/ranks.h). */
#ifndef BP_KERNELS_SOLVE_HOST_RANKS_H
#define BP_KERNELS_SOLVE_HOST_RANKS_H

#include "lib/solve/exact.h"
#include "lib/solve/host_direction.h"

enum { START, APPLY, UPDATE, FINISH, STATE_P = STATE_ALPHA + 16 };

BP_INLINE const bp_rank_arguments *ranks_of(const host *h)
{
  return (const bp_rank_arguments *)h->a;
}

/* ---- scalars ---- */

BP_INLINE double ranks_total(const host *h, int parts)
{
  exact_sum sum = {{0}};
  for (int t = 0; t < h->threads; ++t)
    for (int n = 0; n < EXACT_PARTS; ++n)
      sum.part[n] += h->a->state[parts + EXACT_PARTS * t + n];
  return exact_total(&sum);
}

BP_INLINE void ranks_leave(const host *h, int parts, const exact_sum *sum)
{
  for (int n = 0; n < EXACT_PARTS; ++n)
    h->a->state[parts + EXACT_PARTS * h->thread + n] = sum->part[n];
}

/* beta, before the direction of an iteration, and the units of its p . A p. */
BP_INLINE double ranks_beta(host *h, exact_units *units)
{
  const bp_cpu_arguments *a = h->a;
  const int k = h->k = a->counts[COUNT_COMPLETED];
  const double rr = ranks_total(h, BP_SOLVE_RR), before = a->state[(k + 1) % 2];
  const double beta = k > 0 ? host_ratio(rr, before) : 0;
  double p = __builtin_sqrt(rr);
  if (k > 0)
    p += beta * a->state[STATE_P + (k + 1) % 2];
  *units = exact_units_of(1.01 * ranks_of(h)->bounds[1] * p * p, ranks_of(h)->bounds[2]);
  if (h->thread == 0) {
    a->state[k % 2] = rr;
    a->state[STATE_P + k % 2] = p;
    a->counts[COUNT_CURRENT] = k;
    a->residuals[k] = rr;
  }
  return beta;
}

/* alpha, after it, and the units of the next r . r. */
BP_INLINE double ranks_alpha(host *h, exact_units *units)
{
  const bp_cpu_arguments *a = h->a;
  const int k = h->k = a->counts[COUNT_CURRENT];
  const double rr = a->state[k % 2], alpha = host_ratio(rr, ranks_total(h, BP_SOLVE_PAP));
  *units = exact_units_of(2.01 * rr * (1 + alpha * ranks_of(h)->bounds[1]), ranks_of(h)->bounds[2]);
  if (h->thread == 0) {
    a->state[STATE_ALPHA + k % h->history] = alpha;
    a->counts[COUNT_COMPLETED] = k + 1;
  }
  return alpha;
}

/* ---- shared unknowns ---- */

BP_INLINE int64_t copies_here(const host *h)
{
  return h->a->elements * SURFACE;
}

BP_INLINE int has_foreign_copy(const host *h, int64_t s)
{
  const bp_cpu_arguments *a = h->a;
  for (unsigned c = a->starts[s]; c < a->starts[s + 1]; ++c)
    if (a->copied[c] >= copies_here(h))
      return 1;
  return 0;
}

/* Joints that no other rank has and, behind their end, the thread's shared unknowns; -1 is the end
 * of both. */
BP_INLINE void list_unknowns(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  int *to = joints_of(h);
  for (int are_shared = 0; are_shared < 2; ++are_shared) {
    for (int run = 1; run < RUNS; ++run)
      for (int64_t n = h->begin[run]; n < h->end[run]; ++n) {
        const int64_t s = n - a->inner;
        const unsigned next = a->starts[s + 1];
        const int is_shared = ranks_of(h)->inbox && has_foreign_copy(h, s);
        const int is_joint = next > a->starts[s] && a->copied[next - 1] / SURFACE >= h->last;
        if (are_shared ? is_shared : is_joint && !is_shared)
          *to++ = (int)n;
      }
    *to++ = -1;
  }
}

BP_INLINE const int *shared_of(const host *h)
{
  const int *at = joints_of(h);
  while (*at >= 0)
    ++at;
  return at + 1;
}

/* v of shared unknowns, field f. */
BP_INLINE void sum_shared(const host *h, int64_t f, double *v, const double *copies)
{
  const bp_cpu_arguments *a = h->a;
  for (const int *at = shared_of(h); *at >= 0; ++at) {
    const int64_t s = *at - a->inner;
    double sum = 0;
    for (unsigned c = a->starts[s]; c < a->starts[s + 1]; ++c) {
      const int64_t copy = a->copied[c], foreign = copy - copies_here(h);
      sum += foreign < 0 ? copies[copy] : ranks_of(h)->inbox[foreign * h->fields + f];
    }
    v[*at] = sum;
  }
}

/* Takes out of r . r what another rank counts: the one that has an unknown's first copy. */
BP_INLINE void leave_out_shared(const host *h, const exact_units *units, const double *r,
                                exact_sum *sum)
{
  const bp_cpu_arguments *a = h->a;
  for (const int *at = shared_of(h); *at >= 0; ++at)
    if (a->copied[a->starts[*at - a->inner]] >= copies_here(h)) {
      double square = r[*at] * r[*at];
      EXACT_NUMBER(square);
      exact_add(units, sum, -square);
    }
}

/* ---- launches ---- */

BP_INLINE void ranks_start(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const exact_units units = exact_units_of(ranks_of(h)->bounds[0], ranks_of(h)->bounds[2]);
  exact_sum sum = {{0}};
  host_start(h);
  list_unknowns(h);
  for (int64_t f = 0; f < h->fields; ++f) {
    const double *r = a->r + f * a->stride;
    for (int run = 0; run < RUNS; ++run)
      for (int64_t n = h->begin[run]; n < h->end[run]; ++n)
        exact_add(&units, &sum, r[n] * r[n]);
    leave_out_shared(h, &units, r, &sum);
  }
  ranks_leave(h, BP_SOLVE_RR, &sum);
}

/* p . v of one element. */
BP_INLINE double dot_row(const double *x, const double *y)
{
  enum { WHOLE = NODES / BP_LANES * BP_LANES };
  bp_vector sum = {0};
  double total = 0;
  for (int n = 0; n < WHOLE; n += BP_LANES)
    sum += *(const bp_unaligned *)(x + n) * *(const bp_unaligned *)(y + n);
  for (int l = 0; l < BP_LANES; ++l)
    total += sum[l];
  for (int n = WHOLE; n < NODES; ++n)
    total += x[n] * y[n];
  return total;
}

/* A group of elements of one component, and their part of p . A p. Rows of elements that are
 * missing are 0. */
BP_INLINE void apply_group(const host *h, const host_operator *o, const vectors *w,
                           const int *place, int64_t e, bp_vector *work, const exact_units *units,
                           exact_sum *sum)
{
  double *p = (double *)(work + host_group(h->a)), *v = p + BP_LANES * NODES;
  const int here = h->last - e < BP_LANES ? (int)(h->last - e) : BP_LANES;
  const int each = host_components(h->a) * host_points(h->a);
  for (int l = 0; l < here; ++l)
    gather_direction(h, w, place, e + l, p + l * NODES);
  for (int n = here * NODES; n < BP_LANES * NODES; ++n)
    p[n] = 0;
  bp_group_load(p, Q, Q2, PLANE, work, NULL);
  host_apply(o, h->a, h->a->factors + e * each, work);
  host_store(work, Q2, PLANE, v);
  for (int l = 0; l < here; ++l) {
    const double *row = v + l * NODES;
    scatter_product(h, w, place, e + l, row);
    if (ranks_of(h)->halo[e + l])
      for (int m = 0; m < SURFACE; ++m)
        w->copies[(e + l) * SURFACE + m] = row[place[m]];
    exact_add(units, sum, dot_row(p + l * NODES, row));
  }
}

BP_INLINE void apply(host *h)
{
  const bp_cpu_arguments *a = h->a;
  exact_units units;
  const double beta = ranks_beta(h, &units);
  int place[SURFACE];
  host_operator o;
  exact_sum sum = {{0}};
  host_places(place);
  host_operator_start(a, &o);
  for (int64_t e = h->first; e < h->last; e += BP_LANES)
    for (int64_t f = 0; f < h->fields; ++f) {
      const int64_t at = f * a->stride;
      const vectors w = {a->r + at,
                         host_p(h, h->k - 1) + at,
                         host_p(h, h->k) + at,
                         a->ap + at,
                         a->copies + f * a->elements * SURFACE,
                         beta};
      apply_group(h, &o, &w, place, e, (bp_vector *)a->scratch, &units, &sum);
    }
  ranks_leave(h, BP_SOLVE_PAP, &sum);
}

BP_INLINE void update(host *h)
{
  enum { SUMS = 4 };
  const bp_cpu_arguments *a = h->a;
  exact_units units;
  const double alpha = ranks_alpha(h, &units);
  exact_sums sums[SUMS];
  exact_sum sum = {{0}};
  __builtin_memset(sums, 0, sizeof sums);
  for (int64_t f = 0; f < h->fields; ++f) {
    double *v = a->ap + f * a->stride, *r = a->r + f * a->stride;
    add_joints(h, v, a->copies + f * a->elements * SURFACE);
    sum_shared(h, f, v, a->copies + f * a->elements * SURFACE);
    for (int run = 0; run < RUNS; ++run) {
      int64_t n = h->begin[run];
      for (; n + SUMS * BP_LANES <= h->end[run]; n += SUMS * BP_LANES)
        for (int s = 0; s < SUMS; ++s) {
          bp_unaligned *at = (bp_unaligned *)(r + n + s * BP_LANES);
          const bp_vector x = *at - alpha * *(const bp_unaligned *)(v + n + s * BP_LANES);
          *at = x;
          exact_add_lanes(&units, &sums[s], x * x);
        }
      for (; n < h->end[run]; ++n) {
        r[n] -= alpha * v[n];
        exact_add(&units, &sum, r[n] * r[n]);
      }
    }
    leave_out_shared(h, &units, r, &sum);
  }
  for (int s = 0; s < SUMS; ++s)
    exact_add_sums(&sum, &sums[s]);
  if ((h->k + 1) % h->history == 0)
    host_solution(h, alpha, h->history);
  ranks_leave(h, BP_SOLVE_RR, &sum);
}

BP_INLINE void finish(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int k = a->counts[COUNT_COMPLETED];
  const double rr = ranks_total(h, BP_SOLVE_RR);
  if (h->thread == 0)
    a->residuals[k] = rr;
  host_solution(h, 0, k % h->history);
}

BP_KERNEL
{
  host h = host_begin(a, first, last, (int)a->option[0]);
  switch (a->option[BP_SOLVE_LAUNCH]) {
  case START:
    ranks_start(&h);
    break;
  case APPLY:
    apply(&h);
    break;
  case UPDATE:
    update(&h);
    break;
  default:
    finish(&h);
  }
}

#endif
