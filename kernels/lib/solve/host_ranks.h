/* host_ranks.h -- one pass over the vectors in an iteration, as in host_one_pass.h, by any number of ranks:
 * the same bits with all of them, and one sum over ranks in an iteration.
 *
 * Sums are exact (exact.h). v of unknowns that other ranks have as well is the sum of all copies in the order of the
 * whole mesh's elements: own elements leave theirs in copies[], those of others come into inbox[] between pass and
 * join. After join come p . v, v . v and r . r of all ranks, and alpha = r . r / p . v. beta is needed before the
 * new r is there: since r . v = p . v,
 *
 *   r' . r' = r . r - 2 alpha r . v + alpha^2 v . v = alpha^2 v . v - r . r
 *
 * (G. Meurant, 1984). The next pass adds up r . r anew, for alpha, so that errors of that do not add up.
 *
 * Numbers inside elements are added up element by element, as p . v is; those at surfaces one by one, since who owns
 * them depends on the ranks. */
#ifndef BP_KERNELS_SOLVE_HOST_RANKS_H
#define BP_KERNELS_SOLVE_HOST_RANKS_H

#include "lib/solve/exact.h"
#include "lib/solve/host_pass.h"
#include "lib/solve/host_shared.h"

enum {
  SUM_PV,
  SUM_VV,
  SUM_RR,
  SUMS,
  MOST = STATE_FREE /* of state[]: these of the next pass are at most that */
};
_Static_assert(SUMS *EXACT_PARTS == BP_SOLVE_SUMS, "what becomes that of all ranks");

/* ---- sums ---- */

typedef struct {
  exact_units units[SUMS];
  exact_sum sum[SUMS];
} sums_of;

BP_INLINE sums_of sums_start(const host *h)
{
  sums_of s;
  for (int n = 0; n < SUMS; ++n) {
    s.units[n] = exact_units_of(h->a->state[MOST + n], ranks_of(h)->bounds[2]);
    s.sum[n] = exact_start(&s.units[n]);
  }
  return s;
}

/* The thread's part. */
BP_INLINE real *part_of(const host *h, int sum)
{
  return h->a->state + BP_SOLVE_PAP + BP_SOLVE_SUMS * h->thread + EXACT_PARTS * sum;
}

/* What is left already stays in the sums where there is more. */
BP_INLINE void sums_leave(const host *h, const sums_of *s, bool is_more)
{
  for (int which = 0; which < SUMS; ++which)
    for (int n = 0; n < EXACT_PARTS; ++n) {
      real *const part = part_of(h, which) + n;
      *part = (is_more ? *part : 0) + exact_part(&s->units[which], &s->sum[which], n);
    }
}

BP_INLINE real total_of(const host *h, int which)
{
  real parts[EXACT_PARTS] = {0}, total = 0;
  for (int t = 0; t < h->threads; ++t)
    for (int n = 0; n < EXACT_PARTS; ++n)
      parts[n] += h->a->state[BP_SOLVE_PAP + BP_SOLVE_SUMS * t + EXACT_PARTS * which + n];
  for (int n = 0; n < EXACT_PARTS; ++n)
    total += parts[n];
  return total;
}

/* Takes out of x . x what another rank counts: the one that has an unknown's first copy. */
BP_INLINE void leave_out_shared(const host *h, const real *x, exact_sum *sum)
{
  const bp_cpu_arguments *a = h->a;
  for (const int *at = shared_of(h); *at >= 0; ++at)
    if (a->copied[a->starts[*at - a->inner]] >= copies_here(h))
      exact_add(sum, (bp_vector){-(x[*at] * x[*at])});
}

/* ---- pass ---- */

/* x . y of an element, in parts. */
BP_INLINE bp_vector element_dot(int count, const real *x, const real *y)
{
  bp_vector even = {0}, odd = {0};
  real rest = 0;
  int n = 0;
  for (; n + 2 * BP_LANES <= count; n += 2 * BP_LANES) {
    even += *(const bp_unaligned *)(x + n) * *(const bp_unaligned *)(y + n);
    odd += *(const bp_unaligned *)(x + n + BP_LANES) * *(const bp_unaligned *)(y + n + BP_LANES);
  }
  for (; n + BP_LANES <= count; n += BP_LANES)
    even += *(const bp_unaligned *)(x + n) * *(const bp_unaligned *)(y + n);
  for (; n < count; ++n)
    rest += x[n] * y[n];
  return even + odd + (bp_vector){rest};
}

/* x . y of each of a group's elements, one row after the other; 0 of those that are missing. */
BP_INLINE bp_vector group_dots(int count, int here, const real *x, const real *y)
{
  bp_vector dots[BP_LANES];
  for (int l = 0; l < BP_LANES; ++l)
    dots[l] = l < here ? element_dot(count, x + l * count, y + l * count) : (bp_vector){0};
  bp_transpose(dots);
  for (int l = 1; l < BP_LANES; ++l)
    dots[0] += dots[l];
  return dots[0];
}

/* Unknown n, or a vector of them, an iteration further; its r. Of two products that are added up
 * the compiler must not choose which one to round. */
#define ADVANCE(name, type, at)                                                                    \
  BP_INLINE type name(const vectors *w, bool is_x, int64_t n)                                      \
  {                                                                                                \
    const type r = *(const at *)(w->r + n), p = *(const at *)(w->p + n);                           \
    const type now = r - w->alpha * *(const at *)(w->v + n);                                       \
    if (is_x) {                                                                                    \
      type of_r = w->of_r * r;                                                                     \
      EXACT_NUMBER(of_r);                                                                          \
      *(at *)(w->x + n) += w->of_p * p + of_r;                                                     \
    }                                                                                              \
    *(at *)(w->r + n) = now;                                                                       \
    *(at *)(w->p + n) = now + w->beta * p;                                                         \
    return now;                                                                                    \
  }
ADVANCE(advance_one, real, real)
ADVANCE(advance_lanes, bp_vector, bp_unaligned)

/* Own unknowns an iteration further before elements e .. e + here - 1, and r . r. */
BP_INLINE void advance(const vectors *w, const window *own, int64_t e, int here, sums_of *s)
{
  const bool is_x = w->of_p != 0 || w->of_r != 0;
  for (int run = FIRST_RUN; run < RUNS; ++run) {
    int64_t n = own->begin[run];
    for (; n + BP_LANES <= own->end[run]; n += BP_LANES) {
      const bp_vector r = advance_lanes(w, is_x, n);
      if (run > 0)
        exact_add(&s->sum[SUM_RR], r * r);
    }
    for (; n < own->end[run]; ++n) {
      const real r = advance_one(w, is_x, n);
      if (run > 0)
        exact_add(&s->sum[SUM_RR], (bp_vector){r * r});
    }
  }
  if (INNER > 0)
    exact_add(&s->sum[SUM_RR], group_dots(INNER, here, w->r + e * INNER, w->r + e * INNER));
}

/* v of the surfaces of those elements of a group that other ranks want. */
BP_INLINE void leave_copies_of_group(const elements_pass *g, real *copies, int64_t e, int here,
                                     const bp_vector *v)
{
  for (int l = 0; l < here; ++l)
    for (int m = 0; m < SURFACE && ranks_of(g->h)->halo[e + l]; ++m)
      copies[(e + l) * SURFACE + m] = of_lane(v, g->surface[m], l);
}

/* A group of elements of one component. */
BP_INLINE void pass_group(const elements_pass *g, const host_operator *o, const vectors *w,
                          const element_vectors *u, const window *own, int64_t e, sums_of *s)
{
  const bp_cpu_arguments *a = g->h->a;
  bp_vector *const work = (bp_vector *)a->scratch, *const p = direction_of(g->h);
  const int here = g->h->last - e < BP_LANES ? (int)(g->h->last - e) : BP_LANES;
  advance(w, own, e, here, s);
  clear_surfaces(own, w->v);
  request_next(w, own);
  group_in(g, u, e, work, p);
  host_apply(o, a, a->factors + e * host_components(a) * host_points(a), work);
  group_out(g, u, e, work);
  leave_copies_of_group(g, u->copies, e, here, work);
  exact_add(&s->sum[SUM_PV], group_product(p, work));
  if (INNER > 0)
    exact_add(&s->sum[SUM_VV], group_dots(INNER, here, w->v + e * INNER, w->v + e * INNER));
}

BP_PHASE void pass(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const borrowed b = borrowed_of(h);
  const elements_pass g = elements_begin(h);
  host_operator o;
  sums_of s = sums_start(h);
  window own = window_start(h);
  host_operator_start(a, &o);
  for (int64_t e = h->first; e < h->last; e += BP_LANES) {
    window_move(h, e + BP_LANES < h->last ? e + BP_LANES : h->last, &own);
    for (int64_t f = 0; f < h->fields; ++f) {
      const int64_t at = f * a->stride;
      const vectors w = vectors_of_pass(a, at);
      const element_vectors u = {a->p + at, a->ap + at, a->copies + f * a->elements * SURFACE,
                                 b.values + f * b.count};
      pass_group(&g, &o, &w, &u, &own, e, &s);
    }
  }
  sums_leave(h, &s, false);
}

/* ---- between passes ---- */

BP_PHASE void join(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  sums_of s = sums_start(h);
  for (int64_t f = 0; f < h->fields; ++f) {
    real *const v = a->ap + f * a->stride, *const copies = a->copies + f * a->elements * SURFACE;
    add_joints(h, v, copies);
    sum_shared(h, f, v, copies);
    for (int run = 1; run < RUNS; ++run) {
      int64_t n = h->begin[run];
      for (; n + BP_LANES <= h->end[run]; n += BP_LANES) {
        const bp_vector x = *(const bp_unaligned *)(v + n);
        exact_add(&s.sum[SUM_VV], x * x);
      }
      for (; n < h->end[run]; ++n)
        exact_add(&s.sum[SUM_VV], (bp_vector){v[n] * v[n]});
    }
    leave_out_shared(h, v, &s.sum[SUM_VV]);
    leave_out_shared(h, a->r + f * a->stride, &s.sum[SUM_RR]);
  }
  sums_leave(h, &s, true);
}

/* See exact.h. Sums lack what exact_add drops. */
BP_INLINE void bound_next(real *most, const real *sum, real largest, real alpha, real beta)
{
  real now[SUMS];
  for (int n = 0; n < SUMS; ++n)
    now[n] = __builtin_fmax(sum[n], 0) + 0x1p-60 * most[n];
  const real rr = 2.01 * (now[SUM_RR] + alpha * alpha * now[SUM_VV]);
  const real pv = __builtin_sqrt(rr * largest) + beta * __builtin_sqrt(now[SUM_PV]);
  const real v = __builtin_sqrt(rr) * largest + beta * __builtin_sqrt(now[SUM_VV]);
  most[SUM_RR] = rr;
  most[SUM_PV] = 1.01 * pv * pv;
  most[SUM_VV] = 1.01 * v * v;
}

BP_PHASE void collect(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const borrowed b = borrowed_of(h);
  real sum[SUMS];
  for (int n = 0; n < SUMS; ++n)
    sum[n] = total_of(h, n);
  const real rr = sum[SUM_RR], alpha = host_ratio(rr, sum[SUM_PV]);
  const real next = alpha * alpha * sum[SUM_VV] - rr;
  const real beta = next > 0 ? host_ratio(next, rr) : 0;
  for (int64_t f = 0; f < h->fields; ++f)
    for (int n = 0; n < b.count; ++n) {
      const int64_t at = f * a->stride + b.ids[n];
      const real now = a->r[at] - alpha * a->ap[at];
      b.values[f * b.count + n] = now + beta * a->p[at];
    }
  if (h->thread > 0)
    return;
  plan_solution(a->state, alpha, beta);
  bound_next(a->state + MOST, sum, ranks_of(h)->bounds[1], alpha, beta);
  a->state[ALPHA] = alpha;
  a->state[BETA] = beta;
  a->residuals[a->counts[COUNT_COMPLETED]++] = rr;
}

/* ---- the ends ---- */

BP_PHASE void start(host *h)
{
  const real *bounds = ranks_of(h)->bounds;
  real *const state = h->a->state;
  host_start(h);
  list_unknowns(h);
  find_borrowed(h);
  find_starts(h, starts_of(h));
  if (h->thread > 0)
    return;
  for (int n = 0; n < STATE_FREE; ++n)
    state[n] = 0;
  state[MOST + SUM_RR] = bounds[0];
  state[MOST + SUM_PV] = 1.01 * bounds[0] * bounds[1];
  state[MOST + SUM_VV] = 1.01 * bounds[0] * bounds[1] * bounds[1];
}

/* The last r and x. */
BP_PHASE void finish(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const bool is_behind = a->state[IS_BEHIND] != 0;
  sums_of s = sums_start(h);
  for (int64_t f = 0; f < h->fields; ++f) {
    const vectors w = vectors_at_end(a, is_behind, f * a->stride);
    window own = window_start(h);
    for (int64_t e = h->first; e < h->last; e += BP_LANES) {
      const int64_t last = e + BP_LANES < h->last ? e + BP_LANES : h->last;
      window_move(h, last, &own);
      advance(&w, &own, e, (int)(last - e), &s);
    }
    leave_out_shared(h, w.r, &s.sum[SUM_RR]);
  }
  sums_leave(h, &s, false);
}

BP_PHASE void total(const host *h)
{
  if (h->thread == 0)
    h->a->residuals[h->a->counts[COUNT_COMPLETED]] = total_of(h, SUM_RR);
}

BP_KERNEL
{
  host h = host_begin(a, first, last, 1);
  switch (a->option[BP_SOLVE_LAUNCH]) {
  case START:
    start(&h);
    break;
  case PASS:
    pass(&h);
    break;
  case JOIN:
    join(&h);
    break;
  case COLLECT:
    collect(&h);
    break;
  case FINISH:
    finish(&h);
    break;
  default:
    total(&h);
  }
}

#endif
