/* host_one_pass.h -- conjugate gradients in one pass over the vectors (Kronbichler, Sashko and Munch,
 * "Enhancing data locality of the conjugate gradient method for high-order matrix-free finite-element implementations"):
 * r, p, v = A p and x are read and written once in an iteration, in place.
 *
 * pass: for each group of elements, own unknowns first: r -= alpha v, x, p = r + beta p; then v = A p. join: v where threads
 * meet, and what r . v and v . v lack of surfaces. collect: alpha and beta, and p of the next iteration where
 * a thread's elements touch unknowns of others, so that pass reads nothing that others write.
 *
 * beta is needed before the new r is there: r . r - 2 alpha r . v + alpha^2 v . v. pass sums r . r anew, so that
 * errors of that do not add up. With a preconditioner the vector r holds z (host.h), and the three are r . z, z . v and
 * v . v / diagonal. x is updated every second iteration, since p before is (p - r) / beta, unless beta is
 * tiny. A kernel file has the size history = 1. */
#ifndef BP_KERNELS_SOLVE_HOST_ONE_PASS_H
#define BP_KERNELS_SOLVE_HOST_ONE_PASS_H

#include "lib/solve/host_pass.h"

/* Threads' parts in state[]. */
enum {
  PARTS_PAP = STATE_PAP,
  PARTS_RV = STATE_PAP + 4096,
  PARTS_VV = STATE_RZ,
  PARTS_RZ = STATE_RZ + 4096,
  PARTS_RR = STATE_RR
};

/* ---- pass ---- */

/* v . v / diagonal of unknowns n .. n + count - 1. */
BP_INLINE real product_square(const real *v, const real *diagonal, int64_t n, int64_t count)
{
  bp_vector sums = {0};
  real sum = 0;
  if (!diagonal)
    return host_dot(count, v + n, v + n);
  const int64_t end = n + count;
  for (; n + BP_LANES <= end; n += BP_LANES) {
    const bp_vector x = *(const bp_unaligned *)(v + n);
    sums += x * x / *(const bp_unaligned *)(diagonal + n);
  }
  for (; n < end; ++n)
    sum += v[n] * v[n] / diagonal[n];
  for (int l = 0; l < BP_LANES; ++l)
    sum += sums[l];
  return sum;
}

/* r . z, which is r . r without a preconditioner. */
typedef struct {
  bp_vector rz, rr;
} residual;

/* Unknowns n .. end - 1 an iteration further. */
BP_INLINE void advance_plain(const vectors *w, int64_t n, int64_t end, residual *total)
{
  const bool is_x = w->of_p != 0 || w->of_r != 0;
  for (; n + BP_LANES <= end; n += BP_LANES) {
    const bp_vector r = *(bp_unaligned *)(w->r + n), p = *(bp_unaligned *)(w->p + n);
    const bp_vector now = r - w->alpha * *(bp_unaligned *)(w->v + n);
    if (is_x)
      *(bp_unaligned *)(w->x + n) += w->of_p * p + w->of_r * r;
    *(bp_unaligned *)(w->r + n) = now;
    *(bp_unaligned *)(w->p + n) = now + w->beta * p;
    total->rz += now * now;
  }
  for (; n < end; ++n) {
    const real r = w->r[n], p = w->p[n], now = r - w->alpha * w->v[n];
    if (is_x)
      w->x[n] += w->of_p * p + w->of_r * r;
    w->r[n] = now;
    w->p[n] = now + w->beta * p;
    total->rz[0] += now * now;
  }
}

/* The same of z = r / diagonal. */
BP_INLINE void advance_preconditioned(const vectors *w, int64_t n, int64_t end, residual *total)
{
  const bool is_x = w->of_p != 0 || w->of_r != 0;
  for (; n + BP_LANES <= end; n += BP_LANES) {
    const bp_vector z = *(bp_unaligned *)(w->r + n), p = *(bp_unaligned *)(w->p + n);
    const bp_vector d = *(const bp_unaligned *)(w->diagonal + n);
    const bp_vector now = z - w->alpha * *(bp_unaligned *)(w->v + n) / d, r = now * d;
    if (is_x)
      *(bp_unaligned *)(w->x + n) += w->of_p * p + w->of_r * z;
    *(bp_unaligned *)(w->r + n) = now;
    *(bp_unaligned *)(w->p + n) = now + w->beta * p;
    total->rz += now * r;
    total->rr += r * r;
  }
  for (; n < end; ++n) {
    const real z = w->r[n], p = w->p[n], d = w->diagonal[n];
    const real now = z - w->alpha * w->v[n] / d, r = now * d;
    if (is_x)
      w->x[n] += w->of_p * p + w->of_r * z;
    w->r[n] = now;
    w->p[n] = now + w->beta * p;
    total->rz[0] += now * r;
    total->rr[0] += r * r;
  }
}

BP_INLINE void advance(const vectors *w, int64_t n, int64_t end, residual *total)
{
  if (w->diagonal)
    advance_preconditioned(w, n, end, total);
  else
    advance_plain(w, n, end, total);
}

typedef struct {
  bp_vector pap;
  real rv, vv;
  residual residual;
} sums_of;

/* A group of elements of one component. */
BP_INLINE void pass_group(const elements_pass *g, const host_operator *o, const vectors *w,
                          const element_vectors *u, const window *own, int64_t e, sums_of *s)
{
  const bp_cpu_arguments *a = g->h->a;
  bp_vector *const work = (bp_vector *)a->scratch, *const p = direction_of(g->h);
  const int here = g->h->last - e < BP_LANES ? (int)(g->h->last - e) : BP_LANES;
  for (int run = FIRST_RUN; run < RUNS; ++run)
    advance(w, own->begin[run], own->end[run], &s->residual);
  clear_surfaces(own, w->v);
  request_next(w, own);
  group_in(g, u, e, work, p);
  host_apply(o, a, a->factors + e * host_components(a) * host_points(a), work);
  group_out(g, u, e, work);
  s->pap += group_product(p, work);
  s->rv += host_dot(here * INNER, w->r + e * INNER, w->v + e * INNER);
  s->vv += product_square(w->v, w->diagonal, e * INNER, here * INNER);
}

BP_INLINE void leave_residual(const host *h, const residual *sums)
{
  real rz = 0, rr = 0;
  for (int l = 0; l < BP_LANES; ++l) {
    rz += sums->rz[l];
    rr += sums->rr[l];
  }
  host_leave(h, PARTS_RZ, rz);
  host_leave(h, PARTS_RR, h->a->diagonal ? rr : rz);
}

BP_PHASE void pass(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const borrowed b = borrowed_of(h);
  const elements_pass g = elements_begin(h);
  host_operator o;
  sums_of s = {{0}, 0, 0, {{0}, {0}}};
  real pap = 0;
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
  for (int l = 0; l < BP_LANES; ++l)
    pap += s.pap[l];
  host_leave(h, PARTS_PAP, pap);
  leave_residual(h, &s.residual);
  host_leave(h, PARTS_RV, s.rv);
  host_leave(h, PARTS_VV, s.vv);
}

/* ---- between passes ---- */

BP_PHASE void join(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  real rv = 0, vv = 0;
  for (int64_t f = 0; f < h->fields; ++f) {
    real *const v = a->ap + f * a->stride, *const r = a->r + f * a->stride;
    add_joints(h, v, a->copies + f * a->elements * SURFACE);
    for (int run = 1; run < RUNS; ++run) {
      const int64_t begin = h->begin[run], count = h->end[run] - begin;
      rv += host_dot(count, r + begin, v + begin);
      vv += product_square(v, a->diagonal, begin, count);
    }
  }
  a->state[PARTS_RV + h->thread] += rv;
  a->state[PARTS_VV + h->thread] += vv;
}

BP_PHASE void collect(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const borrowed b = borrowed_of(h);
  const real rz = host_total(h, PARTS_RZ), alpha = host_ratio(rz, host_total(h, PARTS_PAP));
  const real rv = host_total(h, PARTS_RV), vv = host_total(h, PARTS_VV);
  const real next = rz - 2 * alpha * rv + alpha * alpha * vv;
  const real beta = next > 0 ? host_ratio(next, rz) : 0;
  for (int64_t f = 0; f < h->fields; ++f)
    for (int n = 0; n < b.count; ++n) {
      const int64_t at = f * a->stride + b.ids[n];
      b.values[f * b.count + n] =
          a->r[at] - alpha * a->ap[at] / diagonal_at(h, b.ids[n]) + beta * a->p[at];
    }
  if (h->thread > 0)
    return;
  plan_solution(a->state, alpha, beta);
  a->state[ALPHA] = alpha;
  a->state[BETA] = beta;
  a->residuals[a->counts[COUNT_COMPLETED]++] = host_total(h, PARTS_RR);
}

/* ---- the ends ---- */

BP_PHASE void start(host *h)
{
  host_start(h);
  find_joints(h);
  find_borrowed(h);
  find_starts(h, starts_of(h));
  if (h->thread == 0)
    for (int n = 0; n <= IS_BEHIND; ++n)
      h->a->state[n] = 0;
}

/* The last r and x. */
BP_PHASE void finish(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const bool is_behind = a->state[IS_BEHIND] != 0;
  residual sums = {{0}, {0}};
  for (int64_t f = 0; f < h->fields; ++f)
    for (int run = 0; run < RUNS; ++run) {
      const vectors w = vectors_at_end(a, is_behind, f * a->stride);
      advance(&w, h->begin[run], h->end[run], &sums);
    }
  leave_residual(h, &sums);
}

BP_PHASE void total(const host *h)
{
  if (h->thread == 0)
    h->a->residuals[h->a->counts[COUNT_COMPLETED]] = host_total(h, PARTS_RR);
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
