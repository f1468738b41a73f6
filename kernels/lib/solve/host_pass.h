/* host_pass.h -- what schemes of one pass over the vectors share, whatever their sums are. */
#ifndef BP_KERNELS_SOLVE_HOST_PASS_H
#define BP_KERNELS_SOLVE_HOST_PASS_H

#include "lib/solve/host_elements.h"
#include "lib/solve/host_shared.h"
#include <stdlib.h>

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

/* Of a thread: unknowns of others that its elements touch, element after element, one component after the
 * other. */
typedef struct {
  int64_t count, *order;
  real *p;    /* of these unknowns */
  real *left; /* what elements add to their v */
} borrowed;
_Static_assert(sizeof(borrowed) <= OWN_NUMBERS * sizeof(real), "where it lies");

BP_INLINE real diagonal_at(const host *h, int id)
{
  return h->a->diagonal ? h->a->diagonal[id] : 1;
}

/* Any thread's. */
BP_INLINE borrowed *borrowed_of(const host *h, int thread)
{
  return (borrowed *)(own_numbers_of(h) + (thread - h->thread) * h->a->option[BP_SOLVE_SCRATCH]);
}

/* Entry k of the order: an unknown, and which of the values is its. */
BP_INLINE int borrowed_id(const borrowed *b, int64_t k)
{
  return (int)(b->order[k] >> 32);
}

BP_INLINE int64_t borrowed_place(const borrowed *b, int64_t k)
{
  return b->order[k] & UINT32_MAX;
}

BP_INLINE int compare_borrowed(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Behind the lists in the scratch: the order, by unknowns, then the values. */
BP_INLINE void find_borrowed(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int64_t lists = ((h->last - h->first) * SURFACE + LISTS + 1) / 2 * 2;
  borrowed *const b = borrowed_of(h, h->thread);
  b->order = (int64_t *)(joints_of(h) + lists);
  b->count = 0;
  for (int64_t e = h->first; e < h->last; ++e)
    for (int m = 0; m < SURFACE; ++m) {
      const int id = a->ids[e * SURFACE + m];
      if (id >= 0 && id < h->begin[host_class(m) + 1]) {
        b->order[b->count] = (int64_t)id << 32 | b->count;
        ++b->count;
      }
    }
  b->p = (real *)(b->order + b->count);
  b->left = b->p + h->fields * b->count;
  for (int64_t f = 0; f < h->fields; ++f)
    for (int64_t k = 0; k < b->count; ++k) {
      const int id = borrowed_id(b, k);
      b->p[f * b->count + k] = a->f[f * a->stride + id] / diagonal_at(h, id);
    }
  qsort(b->order, (size_t)b->count, sizeof *b->order, compare_borrowed);
}

/* The first entry of the order that is `id` or later. */
BP_INLINE int64_t borrowed_from(const borrowed *b, int64_t id)
{
  int64_t first = 0, end = b->count;
  while (first < end) {
    const int64_t middle = (first + end) / 2;
    if (borrowed_id(b, middle) < id)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

/* To v of component f: what other threads' elements have left for own unknowns, in the order of elements. */
BP_INLINE void add_left(const host *h, int64_t f, real *v)
{
  for (int t = h->thread + 1; t < h->threads; ++t) {
    const borrowed *b = borrowed_of(h, t);
    for (int run = 1; run < RUNS; ++run)
      for (int64_t k = borrowed_from(b, h->begin[run]);
           k < b->count && borrowed_id(b, k) < h->end[run]; ++k)
        v[borrowed_id(b, k)] += b->left[f * b->count + borrowed_place(b, k)];
  }
}

typedef struct {
  real alpha, beta, of_p, of_r;
  real *r, *p, *v, *x;  /* of one component */
  const real *diagonal; /* NULL without a preconditioner */
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
  __builtin_prefetch(h->a->first + CLASSES * (last + BP_LINE * 4));
}

/* Of a thread: where its elements' entities begin. Behind what is borrowed, where a line begins. */
BP_INLINE group_starts *starts_of(const host *h)
{
  const borrowed *b = borrowed_of(h, h->thread);
  const uintptr_t end = (uintptr_t)(b->left + h->fields * b->count), line = 64;
  return (group_starts *)((end + line - 1) / line * line);
}

/* Behind the vectors that a group works in: its p, then zeros and what nobody looks at. */
BP_INLINE bp_vector *direction_of(const host *h)
{
  return (bp_vector *)h->a->scratch + HOST_GROUP;
}

BP_INLINE elements_pass elements_begin(const host *h)
{
  elements_pass s;
  elements_start(h, starts_of(h), (real *)(direction_of(h) + Q * PLANE), &s);
  return s;
}

/* Unknowns from n on, a line of each vector. */
BP_INLINE void request(const vectors *w, int64_t n)
{
  __builtin_prefetch(w->v + n, 1);
  __builtin_prefetch(w->r + n, 1);
  __builtin_prefetch(w->p + n, 1);
  if (w->of_p != 0 || w->of_r != 0)
    __builtin_prefetch(w->x + n, 1);
}

/* v begins anew at surfaces. */
BP_INLINE void clear_surfaces(const window *own, real *v)
{
  for (int run = 1; run < RUNS; ++run)
    for (int64_t n = own->begin[run]; n < own->end[run]; ++n)
      v[n] = 0;
}

BP_INLINE vectors vectors_of_pass(const bp_cpu_arguments *a, int64_t at)
{
  return (vectors){.alpha = (real)a->state[ALPHA],
                   .beta = (real)a->state[BETA],
                   .of_p = (real)a->state[OF_P],
                   .of_r = (real)a->state[OF_R],
                   .r = a->r + at,
                   .p = a->p + at,
                   .v = a->ap + at,
                   .x = a->x + at,
                   .diagonal = a->diagonal};
}

/* After the last iteration: what is left to do to r and x, of the component that begins at `at`. */
BP_INLINE vectors vectors_at_end(const bp_cpu_arguments *a, bool is_behind, int64_t at)
{
  vectors w = vectors_of_pass(a, at);
  w.beta = 0;
  w.of_p = (real)(is_behind ? a->state[ALPHA] : a->state[OF_P]);
  w.of_r = is_behind ? 0 : (real)a->state[OF_R];
  return w;
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
