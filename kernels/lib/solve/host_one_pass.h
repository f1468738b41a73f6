/* host_one_pass.h -- conjugate gradients in one pass over the vectors (Kronbichler, Sashko and Munch,
 * "Enhancing data locality of the conjugate gradient method for high-order matrix-free finite-element implementations"):
 * r, p, v = A p and x are read and written once in an iteration, in place.
 *
 * pass: for each group of elements, own unknowns first: r -= alpha v, x, p = r + beta p; then v = A p. join: v where threads
 * meet, and what sums lack of surfaces. collect: alpha and beta, and p of the next iteration where a thread's elements
 * touch unknowns of others, so that pass reads nothing that others write.
 *
 * beta is needed before the new r is there. Since r . v = p . v, its r . r is alpha^2 v . v - r . r (G. Meurant,
 * 1984). pass sums r . r anew, so that errors of that do not add up. With a preconditioner the vector r holds z
 * (host.h). x is updated every second iteration, since p before is (p - r) / beta, unless beta is tiny.
 *
 * By ranks sums are exact (exact.h), and there is one sum over ranks in an iteration. v of unknowns that other
 * ranks have as well is the sum of all copies in the order of the whole mesh's elements: own elements leave theirs
 * in copies[], those of others come into inbox[] between pass and join. Numbers inside elements are added up
 * element by element, as p . v is; those at surfaces one by one, since who owns them depends on the ranks. */
#ifndef BP_KERNELS_SOLVE_HOST_ONE_PASS_H
#define BP_KERNELS_SOLVE_HOST_ONE_PASS_H

#include "lib/solve/host_sums.h"

/* ---- pass ---- */

/* Unknowns n .. n + BP_LANES - 1 an iteration further. Of two products that are added up the compiler
 * must not choose which one to round. */
BP_INLINE void advance_lanes(const vectors *w, bool is_preconditioned, int64_t n, bp_vector *rr,
                             bp_vector *plain)
{
  const bp_vector r = *(bp_unaligned *)(w->r + n), p = *(bp_unaligned *)(w->p + n);
  const bp_vector v = *(bp_unaligned *)(w->v + n);
  bp_vector d = {0}, now = r - w->alpha * v;
  if (is_preconditioned) {
    d = *(const bp_unaligned *)(w->diagonal + n);
    now = r - w->alpha * v / d;
  }
  if (w->of_p != 0 || w->of_r != 0) {
    bp_vector of_r = w->of_r * r;
    EXACT_NUMBER(of_r);
    *(bp_unaligned *)(w->x + n) += w->of_p * p + of_r;
  }
  *(bp_unaligned *)(w->r + n) = now;
  *(bp_unaligned *)(w->p + n) = now + w->beta * p;
  *rr = now * now;
  *plain = (bp_vector){0};
  if (is_preconditioned) {
    *rr = now * (now * d);
    *plain = now * d * (now * d);
  }
}

/* The last ones before `end`, fewer than lanes. */
BP_INLINE void advance_last(const vectors *w, bool is_preconditioned, int64_t n, int count,
                            bp_vector *rr, bp_vector *plain)
{
  real *const from[] = {w->r + n, w->p + n, w->v + n, w->x + n}, copy[5][BP_LANES];
  vectors few = *w;
  for (int l = 0; l < BP_LANES; ++l) {
    for (int m = 0; m < 4; ++m)
      copy[m][l] = l < count ? from[m][l] : 0;
    copy[4][l] = is_preconditioned && l < count ? w->diagonal[n + l] : 1;
  }
  few.r = copy[0], few.p = copy[1], few.v = copy[2], few.x = copy[3], few.diagonal = copy[4];
  advance_lanes(&few, is_preconditioned, 0, rr, plain);
  for (int m = 0; m < 4; ++m)
    for (int l = 0; l < count; ++l)
      from[m][l] = copy[m][l];
}

/* Unknowns n .. end - 1 an iteration further, and r . r. As many behind them are requested, more or less
 * those of the next group: the processor itself does not see runs as short as these. */
BP_INLINE void advance_run(const vectors *w, bool is_preconditioned, int64_t n, int64_t end,
                           bool is_summed, sums_of *s)
{
  const int64_t count = end - n;
  for (; n < end; n += BP_LANES) {
    bp_vector rr, plain;
    request(w, n + count);
    if (n + BP_LANES <= end)
      advance_lanes(w, is_preconditioned, n, &rr, &plain);
    else
      advance_last(w, is_preconditioned, n, (int)(end - n), &rr, &plain);
    if (is_summed)
      exact_add(&s->sum[SUM_RR], rr);
    if (is_summed && is_preconditioned)
      exact_add(&s->sum[SUM_PLAIN_RR], plain);
  }
}

/* Own unknowns an iteration further before elements e .. e + here - 1, and r . r. */
BP_INLINE void advance(const vectors *w, const window *own, int64_t e, int here, sums_of *s)
{
  for (int run = FIRST_RUN; run < RUNS; ++run)
    if (w->diagonal)
      advance_run(w, true, own->begin[run], own->end[run], !EXACT_SUMS || run > 0, s);
    else
      advance_run(w, false, own->begin[run], own->end[run], !EXACT_SUMS || run > 0, s);
  const real *const r = w->r + e * INNER, *const d = w->diagonal ? w->diagonal + e * INNER : NULL;
  if (EXACT_SUMS && INNER > 0)
    exact_add(&s->sum[SUM_RR], group_dots(INNER, here, r, r, d, TIMES));
  if (EXACT_SUMS && INNER > 0 && d)
    exact_add(&s->sum[SUM_PLAIN_RR], group_dots(INNER, here, r, r, d, TIMES_SQUARED));
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
                          const element_vectors *u, const stored *factors, const window *own,
                          int64_t e, int64_t f, sums_of *s)
{
  const bp_cpu_arguments *a = g->h->a;
  bp_vector *const work = (bp_vector *)a->scratch, *const p = direction_of(g->h);
  const int here = g->h->last - e < BP_LANES ? (int)(g->h->last - e) : BP_LANES;
  const real *v = w->v + e * INNER;
  const real *d = w->diagonal ? w->diagonal + e * INNER : NULL;
  bp_prefetcher ahead = bp_ahead_of(factors, LEAD, REQUESTS);
  advance(w, own, e, here, s);
  clear_surfaces(own, w->v);
  group_in(g, u, e, &ahead, work, p);
  bp_pace_factors(&ahead, FACTORS * APPLY_SHARE / 100, LINES);
  host_apply(o, a, factors, work, &ahead);
  group_out(g, u, e, &ahead, work);
  if (EXACT_SUMS)
    leave_copies_of_group(g, a->copies + f * a->elements * SURFACE, e, here, work);
  exact_add(&s->sum[SUM_PV], group_product(p, work));
  if (INNER > 0)
    exact_add(&s->sum[SUM_VV], group_dots(INNER, here, v, v, d, DIVIDED));
}

BP_PHASE void pass(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const borrowed *b = borrowed_of(h, h->thread);
  const elements_pass g = elements_begin(h);
  host_operator o;
  sums_of s = sums_start(h);
  window own = window_start(h);
  host_operator_start(a, &o);
  for (int64_t e = h->first; e < h->last; e += BP_LANES) {
    window_move(h, e + BP_LANES < h->last ? e + BP_LANES : h->last, &own);
    const stored *factors = a->factors + e * host_element_factors(host_components(a), HOST_POINTS);
    for (int64_t f = 0; f < h->fields; ++f) {
      const int64_t at = f * a->stride;
      const vectors w = vectors_of_pass(a, at);
      const element_vectors u = {a->p + at, a->ap + at, b->p + f * b->count,
                                 b->left + f * b->count};
      pass_group(&g, &o, &w, &u, factors, &own, e, f, &s);
    }
  }
  sums_leave(h, &s, false);
}

/* ---- between passes ---- */

BP_INLINE void leave_out_residual(const host *h, const real *r, sums_of *s)
{
  leave_out_shared(h, r, TIMES, &s->sum[SUM_RR]);
  if (h->a->diagonal)
    leave_out_shared(h, r, TIMES_SQUARED, &s->sum[SUM_PLAIN_RR]);
}

BP_PHASE void join(const host *h)
{
  /* added up in reals at once */
  const int64_t SOME = sizeof(real) == sizeof(double) ? INT64_MAX / 2 : 4096;
  const bp_cpu_arguments *a = h->a;
  sums_of s = sums_start(h);
  for (int64_t f = 0; f < h->fields; ++f) {
    real *const v = a->ap + f * a->stride;
    add_left(h, f, v);
    if (EXACT_SUMS)
      sum_shared(h, f, v, a->copies + f * a->elements * SURFACE);
    clear_fixed(h, v);
    for (int run = 1; run < RUNS; ++run) {
      const int64_t at = h->begin[run], count = h->end[run] - at;
      const real *d = a->diagonal ? a->diagonal + at : NULL;
      if (EXACT_SUMS)
        exact_add_squares(&s.sum[SUM_VV], count, v + at, d);
      else
        for (int64_t n = 0; n < count; n += SOME)
          exact_add(&s.sum[SUM_VV], product(count - n < SOME ? count - n : SOME, v + at + n,
                                            v + at + n, d ? d + n : NULL, DIVIDED));
    }
    leave_out_shared(h, v, DIVIDED, &s.sum[SUM_VV]);
    leave_out_residual(h, a->r + f * a->stride, &s);
  }
  sums_leave(h, &s, true);
}

/* See exact.h. Sums lack what exact_add drops. */
BP_INLINE void bound_next(double *most, const double *sum, const double *bounds, double alpha,
                          double beta)
{
  const double largest = bounds[1];
  double now[SUMS];
  for (int n = 0; n < SUMS; ++n)
    now[n] = __builtin_fmax(sum[n], 0) + 0x1p-60 * most[n];
  const double rr = 2.01 * (now[SUM_RR] + alpha * alpha * now[SUM_VV]);
  const double pv = __builtin_sqrt(rr * largest) + beta * __builtin_sqrt(now[SUM_PV]);
  const double v = __builtin_sqrt(rr) * largest + beta * __builtin_sqrt(now[SUM_VV]);
  most[SUM_RR] = rr;
  most[SUM_PLAIN_RR] = rr * bounds[3];
  most[SUM_PV] = 1.01 * pv * pv;
  most[SUM_VV] = 1.01 * v * v;
}

/* p of the next iteration where elements touch what others own: the same operations as in advance_lanes. */
BP_INLINE void collect_borrowed(const host *h, real alpha, real beta)
{
  const bp_cpu_arguments *a = h->a;
  const borrowed *b = borrowed_of(h, h->thread);
  for (int64_t f = 0; f < h->fields; ++f)
    for (int64_t k = 0; k < b->count; ++k) {
      const int id = borrowed_id(b, k);
      const int64_t at = f * a->stride + id;
      const real now = a->diagonal ? a->r[at] - alpha * a->ap[at] / a->diagonal[id]
                                   : a->r[at] - alpha * a->ap[at];
      b->p[f * b->count + borrowed_place(b, k)] = now + beta * a->p[at];
    }
}

/* Which one is r . r. */
BP_INLINE int sum_of_residual(const host *h)
{
  return h->a->diagonal ? SUM_PLAIN_RR : SUM_RR;
}

BP_PHASE void collect(const host *h)
{
  double *const state = h->a->state;
  double sum[SUMS];
  for (int n = 0; n < SUMS; ++n)
    sum[n] = total_of(h, n);
  const double rr = sum[SUM_RR], alpha = host_ratio(rr, sum[SUM_PV]);
  const double next = alpha * alpha * sum[SUM_VV] - rr;
  /* of the formula: beyond exact convergence there is nothing else */
  const double noise = (sizeof(real) == sizeof(double) ? 1e-13 : 1e-6) * rr;
  const double beta = next > noise ? host_ratio(next, rr) : 0;
  collect_borrowed(h, (real)alpha, (real)beta);
  if (h->thread > 0)
    return;
  plan_solution(state, alpha, beta);
  if (EXACT_SUMS)
    bound_next(state + MOST, sum, ranks_of(h)->bounds, alpha, beta);
  state[ALPHA] = alpha;
  state[BETA] = beta;
  h->a->residuals[h->a->counts[COUNT_COMPLETED]++] = sum[sum_of_residual(h)];
}

/* ---- the ends ---- */

BP_PHASE void start(host *h)
{
  const double *bounds = ranks_of(h)->bounds;
  double *const state = h->a->state;
  host_start(h);
  list_unknowns(h);
  find_borrowed(h);
  find_starts(h, starts_of(h));
  if (h->thread > 0)
    return;
  for (int n = 0; n < STATE_FREE; ++n)
    state[n] = 0;
  if (EXACT_SUMS) {
    state[MOST + SUM_RR] = bounds[0];
    state[MOST + SUM_PLAIN_RR] = bounds[0] * bounds[3];
    state[MOST + SUM_PV] = 1.01 * bounds[0] * bounds[1];
    state[MOST + SUM_VV] = 1.01 * bounds[0] * bounds[1] * bounds[1];
  }
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
    leave_out_residual(h, w.r, &s);
  }
  sums_leave(h, &s, false);
}

BP_PHASE void total(const host *h)
{
  if (h->thread == 0)
    h->a->residuals[h->a->counts[COUNT_COMPLETED]] = total_of(h, sum_of_residual(h));
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
