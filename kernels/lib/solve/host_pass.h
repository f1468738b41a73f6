/* host_pass.h -- what schemes of one pass over the vectors share, whatever their sums are. */
#ifndef BP_KERNELS_SOLVE_HOST_PASS_H
#define BP_KERNELS_SOLVE_HOST_PASS_H

#include "lib/solve/host_joints.h"
#include <stdbool.h>

enum {
  START,
  PASS,
  JOIN,
  COLLECT,
  FINISH,
  TOTAL,
  /* of state[] */
  ALPHA = 0,
  BETA,
  OF_P, /* x += OF_P p + OF_R r, of the old p and r */
  OF_R,
  IS_BEHIND, /* x lacks the alpha p of one iteration */
  STATE_FREE,
  FIRST_RUN = INSIDE > 0 ? 0 : CLASSES /* that has unknowns */
};

/* Of a thread: unknowns of others that its elements touch, as they come, and their p. */
typedef struct {
  int *ids;
  double *values;
  int count;
} borrowed;

BP_INLINE double diagonal_at(const host *h, int id)
{
  return h->a->diagonal ? h->a->diagonal[id] : 1;
}

/* Behind the joints in the scratch: how many, their numbers, their values, one component after the other. */
BP_INLINE borrowed borrowed_of(const host *h)
{
  const int64_t most = ((h->last - h->first) * SURFACE + 1) / 2 * 2;
  int *const count = joints_of(h) + most + 2;
  return (borrowed){count + 2, (double *)(count + 2 + most), *count};
}

BP_INLINE void find_borrowed(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  borrowed b = borrowed_of(h);
  b.count = 0;
  for (int64_t e = h->first; e < h->last; ++e)
    for (int m = 0; m < SURFACE; ++m) {
      const int id = a->ids[e * SURFACE + m];
      if (id >= 0 && id < h->begin[host_class(m) + 1])
        b.ids[b.count++] = id;
    }
  b.ids[-2] = b.count;
  for (int64_t f = 0; f < h->fields; ++f)
    for (int n = 0; n < b.count; ++n)
      b.values[f * b.count + n] = a->f[f * a->stride + b.ids[n]] / diagonal_at(h, b.ids[n]);
}

typedef struct {
  double alpha, beta, of_p, of_r;
  double *r, *p, *v, *x, *copies; /* of one component */
  const double *others;           /* p of the next unknown of another thread */
  const double *diagonal;         /* NULL without a preconditioner */
} vectors;

/* Own unknowns that become an iteration further before a group of elements is applied: what these touch
 * first and what whole vectors have besides. */
typedef struct {
  int64_t begin[RUNS], end[RUNS];
} window;

BP_INLINE window window_start(const host *h)
{
  window w;
  for (int run = 0; run < RUNS; ++run)
    w.begin[run] = w.end[run] = h->begin[run];
  return w;
}

/* Up to those of the element before `last`. */
BP_INLINE void window_move(const host *h, int64_t last, window *w)
{
  for (int run = FIRST_RUN; run < RUNS; ++run) {
    const int64_t touched = run > 0 ? h->a->first[CLASSES * last + run - 1] : last * INNER;
    const int64_t count = (touched - w->end[run] + BP_LANES - 1) / BP_LANES;
    const int64_t end = w->end[run] + count * BP_LANES;
    w->begin[run] = w->end[run];
    w->end[run] = end < h->end[run] ? end : h->end[run];
  }
}

/* p of element e in the order of its nodes, once its own unknowns are an iteration further. */
BP_INLINE void gather_element(const host *h, vectors *w, const int *place, int64_t e, double *local)
{
  const int *ids = h->a->ids + e * SURFACE;
  int64_t at = e * INNER;
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j, at += INSIDE)
      for (int i = 0; i < INSIDE; ++i)
        local[(k * BP_NQ + j) * BP_NQ + 1 + i] = w->p[at + i];
  for (int m = 0; m < SURFACE; ++m) {
    const int id = ids[m];
    local[place[m]] = id < 0 ? 0 : id >= h->begin[host_class(m) + 1] ? w->p[id] : *w->others++;
  }
}

/* v of element e to where it belongs. */
BP_INLINE void leave_product(const host *h, const vectors *w, const int *place, int64_t e,
                             const double *local)
{
  int64_t at = e * INNER;
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j, at += INSIDE)
      for (int i = 0; i < INSIDE; ++i)
        w->v[at + i] = local[(k * BP_NQ + j) * BP_NQ + 1 + i];
  scatter_surface(h, w->v, w->copies, place, e, local);
}

/* After the last iteration: what is left to do to r and x, of the component that begins at `at`. */
BP_INLINE vectors vectors_at_end(const bp_cpu_arguments *a, bool is_behind, int64_t at)
{
  return (vectors){.alpha = a->state[ALPHA],
                   .of_p = is_behind ? a->state[ALPHA] : a->state[OF_P],
                   .of_r = is_behind ? 0 : a->state[OF_R],
                   .r = a->r + at,
                   .p = a->p + at,
                   .v = a->ap + at,
                   .x = a->x + at,
                   .diagonal = a->diagonal};
}

/* What the next pass does to x; the old p and r are those of this iteration then. */
BP_INLINE void plan_solution(double *state, double alpha, double beta)
{
  static const double least_beta = 1e-3;
  const bool is_behind = state[IS_BEHIND] != 0, may_wait = beta > least_beta;
  const double before = is_behind ? state[ALPHA] / state[BETA] : 0;
  state[IS_BEHIND] = !is_behind && may_wait;
  state[OF_P] = state[IS_BEHIND] != 0 ? 0 : alpha + before;
  state[OF_R] = -before;
}

#endif
