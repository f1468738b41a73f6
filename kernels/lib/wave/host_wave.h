/* host_wave.h -- steps of the wave equation on the CPU: v = K u element by element, less what sources do
 * there, then u of the next step, over that of the one before (solve/wave.h).
 *
 * Fused, nodes inside elements are stepped while their v is in the cache, and only the others wait for the
 * second pass. v is added up in the order of the whole mesh: no number of threads or ranks changes a bit. */
#ifndef BP_KERNELS_WAVE_HOST_WAVE_H
#define BP_KERNELS_WAVE_HOST_WAVE_H

#include "lib/solve/host_bp5.h"
#include "lib/solve/host_shared.h"

#include <stdbool.h>

enum { START, STEP, SURFACE_PASS, POINT_PASS, FINISH };
enum { SOURCES = 16, RECEIVERS = 64 };

typedef struct {
  const double *now, *mass;
  double *next; /* before, until it is written */
} wave;

BP_INLINE wave wave_of(const bp_cpu_arguments *a, int k)
{
  return (wave){a->waves + k % 2 * a->stride, a->inverse_mass, a->waves + (k + 1) % 2 * a->stride};
}

BP_INLINE void step_run(const wave *w, const double *v, int64_t begin, int64_t end)
{
  for (int64_t n = begin; n < end; ++n)
    w->next[n] = 2 * w->now[n] - w->next[n] - w->mass[n] * v[n];
}

/* u of element e in the order of its nodes. */
BP_INLINE void gather_wave(const host *h, const double *now, const int *place, int64_t e,
                           double *local)
{
  const int *ids = h->a->ids + e * SURFACE;
  int64_t at = e * INNER;
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j, at += INSIDE)
      for (int i = 0; i < INSIDE; ++i)
        local[(k * BP_NQ + j) * BP_NQ + 1 + i] = now[at + i];
  for (int m = 0; m < SURFACE; ++m)
    local[place[m]] = ids[m] < 0 ? 0 : now[ids[m]];
}

/* v of the nodes inside element e: a step, or to memory. */
BP_INLINE void leave_inner(const wave *w, bool fused, double *v, int64_t e, const double *local)
{
  int64_t at = e * INNER;
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j, at += INSIDE) {
      const double *row = local + (k * BP_NQ + j) * BP_NQ + 1;
      for (int i = 0; i < INSIDE; ++i)
        if (fused)
          w->next[at + i] = 2 * w->now[at + i] - w->next[at + i] - w->mass[at + i] * row[i];
        else
          v[at + i] = row[i];
    }
}

/* v of element e, less the force of the sources there. */
BP_INLINE void act(const bp_cpu_arguments *a, int k, int64_t e, double *v)
{
  for (int s = 0; s < SOURCES; ++s)
    for (int n = 0; n < NODES && a->point_elements[s] == e; ++n)
      v[n] -= a->point_weights[s * NODES + n] * a->signals[(size_t)k * SOURCES + s];
}

BP_INLINE void step_group(const host *h, const host_operator *o, const wave *w, bool fused,
                          const int *place, int64_t e, bp_vector *work)
{
  const bp_cpu_arguments *a = h->a;
  const real *factors = a->factors + e * host_element_factors(host_components(a), HOST_POINTS);
  bp_prefetcher ahead = bp_ahead_of(factors, LEAD, REQUESTS);
  double *u = (double *)(work + HOST_GROUP), *v = u + BP_LANES * NODES;
  const int here = h->last - e < BP_LANES ? (int)(h->last - e) : BP_LANES;
  for (int l = 0; l < here; ++l)
    gather_wave(h, w->now, place, e + l, u + l * NODES);
  for (int n = here * NODES; n < BP_LANES * NODES; ++n)
    u[n] = 0;
  bp_group_load(u, Q, Q2, PLANE, work, NULL);
  bp_pace_factors(&ahead, FACTORS, LINES);
  host_apply(o, a, factors, work, &ahead);
  host_store(work, Q2, PLANE, v);
  for (int l = 0; l < here; ++l) {
    if (a->point_elements[0] >= 0)
      act(a, a->counts[COUNT_COMPLETED], e + l, v + l * NODES);
    leave_inner(w, fused, a->ap, e + l, v + l * NODES);
    scatter_surface(h, a->ap, a->copies, place, e + l, v + l * NODES);
    leave_copies(h, a->copies, place, e + l, v + l * NODES);
  }
}

BP_INLINE void step_elements(const host *h, bool fused)
{
  const bp_cpu_arguments *a = h->a;
  const int k = a->counts[COUNT_COMPLETED];
  const wave w = wave_of(a, k);
  int place[SURFACE];
  host_operator o;
  if (h->thread == 0)
    a->counts[COUNT_CURRENT] = k;
  host_places(place);
  host_operator_start(a, &o);
  for (int64_t e = h->first; e < h->last; e += BP_LANES)
    step_group(h, &o, &w, fused, place, e, (bp_vector *)a->scratch);
}

BP_INLINE void step_rest(const host *h, bool fused)
{
  const bp_cpu_arguments *a = h->a;
  const int k = a->counts[COUNT_CURRENT];
  const wave w = wave_of(a, k);
  add_joints(h, a->ap, a->copies);
  sum_shared(h, 0, a->ap, a->copies);
  for (int run = fused; run < RUNS; ++run)
    step_run(&w, a->ap, h->begin[run], h->end[run]);
  if (h->thread == 0)
    a->counts[COUNT_COMPLETED] = k + 1;
}

/* ---- receivers, by one thread ---- */

/* The unknowns of element e in the order of its nodes. */
BP_INLINE void point_numbers(const bp_cpu_arguments *a, int64_t e, int *numbers)
{
  int place[SURFACE];
  int64_t at = e * INNER;
  host_places(place);
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j)
      for (int i = 1; i <= INSIDE; ++i)
        numbers[(k * BP_NQ + j) * BP_NQ + i] = (int)at++;
  for (int m = 0; m < SURFACE; ++m) {
    const int id = a->ids[e * SURFACE + m];
    numbers[place[m]] = id < 0 ? ~id : id;
  }
}

BP_INLINE void listen(const bp_cpu_arguments *a)
{
  const int k = a->counts[COUNT_CURRENT];
  const wave w = wave_of(a, k);
  int numbers[NODES];
  for (int r = 0; r < RECEIVERS && a->point_elements[SOURCES + r] >= 0; ++r) {
    double sum = 0;
    point_numbers(a, a->point_elements[SOURCES + r], numbers);
    for (int n = 0; n < NODES; ++n)
      sum += a->point_weights[(SOURCES + r) * NODES + n] * w.next[numbers[n]];
    a->traces[(size_t)k * RECEIVERS + r] = sum;
  }
}

/* ---- start and finish ---- */

BP_INLINE void begin_waves(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  for (int run = 0; run < RUNS; ++run)
    for (int64_t n = h->begin[run]; n < h->end[run]; ++n) {
      a->waves[n] = a->f[n];
      a->waves[a->stride + n] = a->f_before[n];
      a->ap[n] = 0;
    }
  if (h->thread == 0)
    a->counts[COUNT_COMPLETED] = a->counts[COUNT_CURRENT] = 0;
  list_unknowns(h);
}

BP_INLINE void end_waves(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const wave w = wave_of(a, a->counts[COUNT_COMPLETED]);
  for (int run = 0; run < RUNS; ++run)
    for (int64_t n = h->begin[run]; n < h->end[run]; ++n) {
      a->x[n] = w.now[n];
      a->x_before[n] = w.next[n];
    }
}

BP_INLINE void wave_launch(const bp_cpu_arguments *a, int64_t first, int64_t last, bool fused)
{
  const host h = host_begin(a, first, last, 1);
  switch (a->option[BP_SOLVE_LAUNCH]) {
  case START:
    begin_waves(&h);
    break;
  case STEP:
    step_elements(&h, fused);
    break;
  case SURFACE_PASS:
    step_rest(&h, fused);
    break;
  case POINT_PASS:
    if (h.thread == 0)
      listen(a);
    break;
  default:
    end_waves(&h);
  }
}

#endif
