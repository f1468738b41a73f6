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
  MOST_RR = STATE_FREE, /* of state[]: r . r of the next pass is at most that */
  MOST_P                /* and |p| */
};
_Static_assert(SUMS *EXACT_PARTS == BP_SOLVE_SUMS, "what becomes that of all ranks");

/* ---- sums ---- */

BP_INLINE exact_units units_of(const host *h, int sum)
{
  const double *bounds = ranks_of(h)->bounds, *state = h->a->state;
  const double pv = 1.01 * bounds[1] * state[MOST_P] * state[MOST_P];
  const double most = sum == SUM_RR ? state[MOST_RR] : sum == SUM_VV ? pv * bounds[1] : pv;
  return exact_units_of(most, bounds[2]);
}

/* The thread's part. */
BP_INLINE double *part_of(const host *h, int sum)
{
  return h->a->state + BP_SOLVE_PAP + BP_SOLVE_SUMS * h->thread + EXACT_PARTS * sum;
}

BP_INLINE void leave(const host *h, int which, const exact_sum *sum)
{
  for (int n = 0; n < EXACT_PARTS; ++n)
    part_of(h, which)[n] = sum->part[n];
}

BP_INLINE exact_sum left(const host *h, int which)
{
  exact_sum sum;
  for (int n = 0; n < EXACT_PARTS; ++n)
    sum.part[n] = part_of(h, which)[n];
  return sum;
}

BP_INLINE double total_of(const host *h, int which)
{
  exact_sum sum = {{0}};
  for (int t = 0; t < h->threads; ++t)
    for (int n = 0; n < EXACT_PARTS; ++n)
      sum.part[n] += h->a->state[BP_SOLVE_PAP + BP_SOLVE_SUMS * t + EXACT_PARTS * which + n];
  return exact_total(&sum);
}

/* Takes out of x . x what another rank counts: the one that has an unknown's first copy. */
BP_INLINE void leave_out_shared(const host *h, const exact_units *units, const double *x,
                                exact_sum *sum)
{
  const bp_cpu_arguments *a = h->a;
  for (const int *at = shared_of(h); *at >= 0; ++at)
    if (a->copied[a->starts[*at - a->inner]] >= copies_here(h))
      exact_add(units, sum, -(x[*at] * x[*at]));
}

/* ---- pass ---- */

typedef struct {
  exact_units units[SUMS];
  exact_sum sum[SUMS];
  exact_sums lanes; /* of r . r */
} sums_of;

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
ADVANCE(advance_one, double, double)
ADVANCE(advance_lanes, bp_vector, bp_unaligned)

/* Inside an element. Returns its r . r. */
BP_INLINE double advance_inside(const vectors *w, int64_t n, int64_t end)
{
  const bool is_x = w->of_p != 0 || w->of_r != 0;
  bp_vector sums = {0};
  double sum = 0;
  for (; n + BP_LANES <= end; n += BP_LANES) {
    const bp_vector r = advance_lanes(w, is_x, n);
    sums += r * r;
  }
  for (; n < end; ++n) {
    const double r = advance_one(w, is_x, n);
    sum += r * r;
  }
  for (int l = 0; l < BP_LANES; ++l)
    sum += sums[l];
  return sum;
}

/* At its surface; r of these unknowns goes to `now`. Returns the end of that. */
BP_INLINE double *advance_surface(const vectors *w, int64_t n, int64_t end, double *now)
{
  const bool is_x = w->of_p != 0 || w->of_r != 0;
  for (; n + BP_LANES <= end; n += BP_LANES, now += BP_LANES)
    *(bp_unaligned *)now = advance_lanes(w, is_x, n);
  for (; n < end; ++n)
    *now++ = advance_one(w, is_x, n);
  return now;
}

BP_INLINE void advance(const host *h, const vectors *w, int64_t e, sums_of *s)
{
  const int *first = h->a->first + CLASSES * e;
  if (INNER > 0)
    exact_add(&s->units[SUM_RR], &s->sum[SUM_RR], advance_inside(w, e * INNER, (e + 1) * INNER));
  double now[SURFACE + BP_LANES], *end = now;
  for (int c = 0; c < CLASSES; ++c)
    end = advance_surface(w, first[c], first[CLASSES + c], end);
  *(bp_unaligned *)end = (bp_vector){0};
  for (const double *r = now; r < end; r += BP_LANES) {
    const bp_vector x = *(const bp_unaligned *)r;
    exact_add_lanes(&s->units[SUM_RR], &s->lanes, x * x);
  }
}

/* v of one element, and its parts of p . v and v . v. */
BP_INLINE void leave_element(const host *h, const vectors *w, const int *place, int64_t e,
                             const double *p, const double *v, sums_of *s)
{
  const double *inside = w->v + e * INNER;
  leave_product(h, w, place, e, v);
  leave_copies(h, w->copies, place, e, v);
  exact_add(&s->units[SUM_PV], &s->sum[SUM_PV], host_dot(NODES, p, v));
  if (INNER > 0)
    exact_add(&s->units[SUM_VV], &s->sum[SUM_VV], host_dot(INNER, inside, inside));
}

/* A group of elements of one component. Rows of elements that are missing are 0. */
BP_INLINE void pass_group(const host *h, const host_operator *o, vectors *w, const int *place,
                          int64_t e, bp_vector *work, sums_of *s)
{
  double *p = (double *)(work + host_group(h->a)), *v = p + BP_LANES * NODES;
  const int here = h->last - e < BP_LANES ? (int)(h->last - e) : BP_LANES;
  const int each = host_components(h->a) * host_points(h->a);
  for (int l = 0; l < here; ++l) {
    advance(h, w, e + l, s);
    gather_element(h, w, place, e + l, p + l * NODES);
  }
  for (int n = here * NODES; n < BP_LANES * NODES; ++n)
    p[n] = 0;
  bp_group_load(p, Q, Q2, PLANE, work, NULL);
  host_apply(o, h->a, h->a->factors + e * each, work);
  host_store(work, Q2, PLANE, v);
  for (int l = 0; l < here; ++l)
    leave_element(h, w, place, e + l, p + l * NODES, v + l * NODES, s);
}

BP_INLINE sums_of sums_start(const host *h)
{
  sums_of s;
  __builtin_memset(&s, 0, sizeof s);
  for (int n = 0; n < SUMS; ++n)
    s.units[n] = units_of(h, n);
  return s;
}

BP_INLINE void sums_leave(const host *h, sums_of *s)
{
  exact_add_sums(&s->sum[SUM_RR], &s->lanes);
  for (int n = 0; n < SUMS; ++n)
    leave(h, n, &s->sum[n]);
}

BP_INLINE void pass(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const borrowed b = borrowed_of(h);
  const double *others[3] = {b.values, b.values + b.count, b.values + 2 * b.count};
  int place[SURFACE];
  host_operator o;
  sums_of s = sums_start(h);
  host_places(place);
  host_operator_start(a, &o);
  for (int64_t e = h->first; e < h->last; e += BP_LANES)
    for (int64_t f = 0; f < h->fields; ++f) {
      const int64_t at = f * a->stride;
      vectors w = {.alpha = a->state[ALPHA],
                   .beta = a->state[BETA],
                   .of_p = a->state[OF_P],
                   .of_r = a->state[OF_R],
                   .r = a->r + at,
                   .p = a->p + at,
                   .v = a->ap + at,
                   .x = a->x + at,
                   .copies = a->copies + f * a->elements * SURFACE,
                   .others = others[f]};
      pass_group(h, &o, &w, place, e, (bp_vector *)a->scratch, &s);
      others[f] = w.others;
    }
  sums_leave(h, &s);
}

/* ---- between passes ---- */

BP_INLINE void add_squares(const exact_units *units, const double *x, int64_t n, int64_t end,
                           exact_sum *sum)
{
  exact_sums lanes;
  __builtin_memset(&lanes, 0, sizeof lanes);
  for (; n + BP_LANES <= end; n += BP_LANES) {
    const bp_vector y = *(const bp_unaligned *)(x + n);
    exact_add_lanes(units, &lanes, y * y);
  }
  for (; n < end; ++n)
    exact_add(units, sum, x[n] * x[n]);
  exact_add_sums(sum, &lanes);
}

BP_INLINE void join(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const exact_units of_vv = units_of(h, SUM_VV), of_rr = units_of(h, SUM_RR);
  exact_sum vv = left(h, SUM_VV), rr = left(h, SUM_RR);
  for (int64_t f = 0; f < h->fields; ++f) {
    double *const v = a->ap + f * a->stride, *const copies = a->copies + f * a->elements * SURFACE;
    add_joints(h, v, copies);
    sum_shared(h, f, v, copies);
    for (int run = 1; run < RUNS; ++run)
      add_squares(&of_vv, v, h->begin[run], h->end[run], &vv);
    leave_out_shared(h, &of_vv, v, &vv);
    leave_out_shared(h, &of_rr, a->r + f * a->stride, &rr);
  }
  leave(h, SUM_VV, &vv);
  leave(h, SUM_RR, &rr);
}

/* |r'|^2 <= 2 (r . r + alpha^2 v . v), and |p'| <= |r'| + beta |p|. v . v lacks what exact_add drops. */
BP_INLINE void bound_next(const host *h, double rr, double vv, double alpha, double beta)
{
  double *const state = h->a->state;
  const double lp = h->a->state[MOST_P] * ranks_of(h)->bounds[1];
  state[MOST_RR] = 2.01 * (rr + alpha * alpha * (vv + 0x1p-60 * lp * lp));
  state[MOST_P] = __builtin_sqrt(state[MOST_RR]) + beta * state[MOST_P];
}

BP_INLINE void collect(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const borrowed b = borrowed_of(h);
  const double rr = total_of(h, SUM_RR), vv = total_of(h, SUM_VV);
  const double alpha = host_ratio(rr, total_of(h, SUM_PV)), next = alpha * alpha * vv - rr;
  const double beta = next > 0 ? host_ratio(next, rr) : 0;
  for (int64_t f = 0; f < h->fields; ++f)
    for (int n = 0; n < b.count; ++n) {
      const int64_t at = f * a->stride + b.ids[n];
      const double now = a->r[at] - alpha * a->ap[at];
      b.values[f * b.count + n] = now + beta * a->p[at];
    }
  if (h->thread > 0)
    return;
  plan_solution(a->state, alpha, beta);
  bound_next(h, rr, vv, alpha, beta);
  a->state[ALPHA] = alpha;
  a->state[BETA] = beta;
  a->residuals[a->counts[COUNT_COMPLETED]++] = rr;
}

/* ---- the ends ---- */

BP_INLINE void start(host *h)
{
  const double *bounds = ranks_of(h)->bounds;
  double *const state = h->a->state;
  host_start(h);
  list_unknowns(h);
  find_borrowed(h);
  if (h->thread > 0)
    return;
  for (int n = 0; n < STATE_FREE; ++n)
    state[n] = 0;
  state[MOST_RR] = bounds[0];
  state[MOST_P] = __builtin_sqrt(bounds[0]);
}

/* The last r and x. */
BP_INLINE void finish(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const bool is_behind = a->state[IS_BEHIND] != 0;
  sums_of s = sums_start(h);
  for (int64_t f = 0; f < h->fields; ++f) {
    const vectors w = vectors_at_end(a, is_behind, f * a->stride);
    for (int64_t e = h->first; e < h->last; ++e)
      advance(h, &w, e, &s);
    leave_out_shared(h, &s.units[SUM_RR], w.r, &s.sum[SUM_RR]);
  }
  sums_leave(h, &s);
}

BP_INLINE void total(const host *h)
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
