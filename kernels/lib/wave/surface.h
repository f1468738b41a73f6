/* surface.h -- the launches of a run of the wave equation beside the operator (solve/wave.h): start,
 * surface unknowns, sources and receivers, finish.
 *
 * waves[] has the values now and before, in turns: those of step k in part k % 2, and what follows them
 * takes the place of what was before. counts[] says which step is under way, as in a solve (sums.h). */
#ifndef BP_KERNELS_WAVE_SURFACE_H
#define BP_KERNELS_WAVE_SURFACE_H

#include "lib/solve/numbering.h"
#include "lib/solve/vectors.h"

enum { SOURCES = 16, RECEIVERS = 64, POINT_THREADS = 256 };

/* The wave of step k, and what comes after it in the place of the one before. */
BP_DEVICE double *wave_now(double *waves, long long stride, int k)
{
  return waves + k % 2 * stride;
}

BP_DEVICE double *wave_next(double *waves, long long stride, int k)
{
  return waves + (k + 1) % 2 * stride;
}

BP_DEVICE double wave_step(double now, double before, double inverse_mass, double product)
{
  return 2 * now - before - inverse_mass * product;
}

typedef struct {
  const double *now, *inverse_mass;
  double *next; /* before, until it is written */
} wave_vectors;

BP_DEVICE wave_vectors wave_vectors_of(double *waves, const double *inverse_mass, long long stride,
                                       int k)
{
  const wave_vectors w = {wave_now(waves, stride, k), inverse_mass, wave_next(waves, stride, k)};
  return w;
}

/* `turns` unknowns, n, n + VECTOR_THREADS, .. of one kind, with `pairs` pairs of slots each; see
 * vectors.h. */
BP_DEVICE void wave_surface_chunk(int turns, int pairs, wave_vectors w, const surface_lists *l,
                                  const slot_pair *slots, int n, int count)
{
  slot_pair s[VECTOR_TURNS][4];
  double now[VECTOR_TURNS], before[VECTOR_TURNS], mass[VECTOR_TURNS], v[VECTOR_TURNS];
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    const int at = n + t * VECTOR_THREADS;
    now[t] = at < count ? w.now[at] : 0;
    before[t] = at < count ? w.next[at] : 0;
    mass[t] = at < count ? w.inverse_mass[at] : 0;
    BP_UNROLL
    for (int c = 0; c < pairs; ++c)
      s[t][c] = at < count ? slots[(size_t)at * pairs + c] : (slot_pair)NO_COPY;
  }
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    v[t] = 0;
    BP_UNROLL
    for (int c = 0; c < pairs; ++c)
      v[t] += slot_value(l, (unsigned)s[t][c], l->copies, 0) +
              slot_value(l, (unsigned)(s[t][c] >> 32), l->copies, 0);
  }
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    const unsigned first = (unsigned)s[t][0];
    if (first == (unsigned)NO_COPY) /* fixed */
      continue;
    if (first >= MORE)
      v[t] = surface_sum_all(l, l->copies, 0, first);
    w.next[n + t * VECTOR_THREADS] = wave_step(now[t], before[t], mass[t], v[t]);
  }
}

BP_DEVICE wave_vectors wave_from(wave_vectors w, int first)
{
  const wave_vectors part = {w.now + first, w.inverse_mass + first, w.next + first};
  return part;
}

/* All surface unknowns, sums of copies. Blocks take chunks of one kind in turn. */
BP_DEVICE void wave_surface(const unknown_kinds *u, wave_vectors w, const surface_lists *l)
{
  enum { AT_EDGES = CHUNK / 2, AT_VERTICES = CHUNK / 4 };
  const int faces = u->faces - u->inner, edges = u->edges - u->faces, vertices = u->all - u->edges;
  const int thread = (int)threadIdx.x, step = (int)gridDim.x;
  const slot_pair *slots = l->slots;
  int c = (int)blockIdx.x, from = 0, end = (faces + CHUNK - 1) / CHUNK;
  for (; c < end; c += step)
    wave_surface_chunk(4, 1, wave_from(w, u->inner), l, slots, (c - from) * CHUNK + thread, faces);
  from = end;
  slots += faces;
  for (end += (edges + AT_EDGES - 1) / AT_EDGES; c < end; c += step)
    wave_surface_chunk(2, 2, wave_from(w, u->faces), l, slots, (c - from) * AT_EDGES + thread,
                       edges);
  from = end;
  slots += 2 * (size_t)edges;
  for (end += (vertices + AT_VERTICES - 1) / AT_VERTICES; c < end; c += step)
    wave_surface_chunk(1, 4, wave_from(w, u->edges), l, slots, (c - from) * AT_VERTICES + thread,
                       vertices);
}

/* The same where v was added up in place by atomic operations: it is 0 again afterwards. inverse_mass is 0
 * where unknowns are fixed, and so are now and before. */
BP_DEVICE void wave_surface_added(const unknown_kinds *u, wave_vectors w, double *v)
{
  const int step = (int)gridDim.x * VECTOR_THREADS;
  for (int n = u->inner + (int)(blockIdx.x * VECTOR_THREADS + threadIdx.x); n < u->all; n += step) {
    w.next[n] = wave_step(w.now[n], w.next[n], w.inverse_mass[n], v[n]);
    v[n] = 0;
  }
}

/* ---- sources and receivers, by one block ---- */

/* The unknown at node n of an element's `all`, surface nodes first, and its place in an array of nodes. */
BP_DEVICE int wave_point_number(const int *ids, int e, int n, int *place)
{
  if (n >= ELEMENT_SURFACE) {
    *place = inner_place(n - ELEMENT_SURFACE, NODES_2D);
    return e * ELEMENT_INNER + n - ELEMENT_SURFACE;
  }
  const int id = ids[(size_t)e * ELEMENT_SURFACE + n];
  *place = surface_place(n, NODES_2D);
  return id < 0 ? ~id : id;
}

/* What sources do, to u of the next step. */
BP_DEVICE void wave_sources(const int *ids, const int *point_elements, const double *point_weights,
                            const double *signals, const double *inverse_mass, double *next, int k)
{
  BP_NO_UNROLL
  for (int s = 0; s < SOURCES && point_elements[s] >= 0; ++s) {
    for (int n = bp_thread(); n < NODES_3D; n += bp_threads()) {
      int place;
      const int number = wave_point_number(ids, point_elements[s], n, &place);
      next[number] += inverse_mass[number] * point_weights[s * NODES_3D + place] *
                      signals[(size_t)k * SOURCES + s];
    }
    BP_BARRIER();
  }
}

/* The same for ranks, before copies go to others: it is taken out of the element's copies of v. */
BP_DEVICE void wave_sources_shared(const int *ids, const int *point_elements,
                                   const double *point_weights, const double *signals,
                                   const double *inverse_mass, double *copies, double *next, int k)
{
  BP_NO_UNROLL
  for (int s = 0; s < SOURCES && point_elements[s] >= 0; ++s) {
    for (int n = bp_thread(); n < NODES_3D; n += bp_threads()) {
      int place;
      const int e = point_elements[s], number = wave_point_number(ids, e, n, &place);
      const double force = point_weights[s * NODES_3D + place] * signals[(size_t)k * SOURCES + s];
      if (n < ELEMENT_SURFACE)
        copies[(size_t)e * ELEMENT_SURFACE + n] -= force;
      else
        next[number] += inverse_mass[number] * force;
    }
    BP_BARRIER();
  }
}

BP_DEVICE void wave_receivers(const int *ids, const int *point_elements,
                              const double *point_weights, double *traces, const double *next,
                              int k, double *buffer)
{
  BP_NO_UNROLL
  for (int r = 0; r < RECEIVERS && point_elements[SOURCES + r] >= 0; ++r) {
    double sum = 0;
    for (int n = bp_thread(); n < NODES_3D; n += bp_threads()) {
      int place;
      const int number = wave_point_number(ids, point_elements[SOURCES + r], n, &place);
      sum += point_weights[(SOURCES + r) * NODES_3D + place] * next[number];
    }
    sum = sums_block(sum, buffer);
    if (bp_thread() == 0)
      traces[(size_t)k * RECEIVERS + r] = sum;
  }
}

BP_DEVICE void wave_points(const int *ids, const int *point_elements, const double *point_weights,
                           const double *signals, double *traces, const double *inverse_mass,
                           double *next, int k, double *buffer)
{
  wave_sources(ids, point_elements, point_weights, signals, inverse_mass, next, k);
  wave_receivers(ids, point_elements, point_weights, traces, next, k, buffer);
}

/* ---- start and finish ---- */

BP_DEVICE void wave_start(const double *f, const double *f_before, double *waves, double *v,
                          int *counts, long long stride)
{
  const long long step = (long long)gridDim.x * bp_threads();
  const long long first = (long long)blockIdx.x * bp_threads() + bp_thread();
  for (long long n = first; n < stride; n += step) {
    waves[n] = f[n];
    waves[stride + n] = f_before[n];
    if (v)
      v[n] = 0;
  }
  if (first == 0)
    counts[COUNT_COMPLETED] = counts[COUNT_CURRENT] = 0;
}

BP_DEVICE void wave_finish(double *x, double *x_before, double *waves, const int *counts,
                           long long stride)
{
  const long long step = (long long)gridDim.x * bp_threads();
  const int k = counts[COUNT_COMPLETED];
  for (long long n = (long long)blockIdx.x * bp_threads() + bp_thread(); n < stride; n += step) {
    x[n] = wave_now(waves, stride, k)[n];
    x_before[n] = wave_next(waves, stride, k)[n];
  }
}

#endif
