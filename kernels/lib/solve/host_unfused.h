/* host_unfused.h -- conjugate gradients as a library of parts has them: each step reads its vectors from
 * memory and writes its result there. What merged schemes are compared with.
 *
 * direction: p = r + beta p. to_elements: local_u = p by element. operators: local_v = A local_u. from_elements:
 * v = the sum of the elements' parts. product: p . v. update: x += alpha p, then r -= alpha v and r . r. A
 * kernel file has the size history = 1. */
#ifndef BP_KERNELS_SOLVE_HOST_UNFUSED_H
#define BP_KERNELS_SOLVE_HOST_UNFUSED_H

#include "lib/solve/host.h"

enum { START, DIRECTION, TO_ELEMENTS, OPERATORS, FROM_ELEMENTS, PRODUCT, UPDATE, FINISH };

/* Elements of a component of a local vector: whole groups. */
BP_INLINE int64_t padded_elements(const bp_cpu_arguments *a)
{
  return (a->elements + BP_LANES - 1) / BP_LANES * BP_LANES;
}

/* The rows behind the last element are computed with it. */
BP_INLINE void clear_padding(const host *h)
{
  const int64_t padded = padded_elements(h->a);
  if (h->first == h->last || h->last < h->a->elements)
    return;
  for (int64_t f = 0; f < h->fields; ++f)
    for (int64_t n = h->last * NODES; n < padded * NODES; ++n)
      h->a->local_u[f * padded * NODES + n] = 0;
}

BP_INLINE void find_direction(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const real beta = (real)host_beta(h);
  for (int64_t f = 0; f < h->fields; ++f)
    for (int run = 0; run < RUNS; ++run) {
      const real *r = a->r + f * a->stride;
      real *p = a->p + f * a->stride;
      for (int64_t n = h->begin[run]; n < h->end[run]; ++n)
        p[n] = r[n] + beta * p[n];
    }
}

BP_INLINE void scatter_to_elements(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int64_t padded = padded_elements(a);
  int place[SURFACE];
  host_places(place);
  for (int64_t f = 0; f < h->fields; ++f) {
    const real *p = a->p + f * a->stride;
    for (int64_t e = h->first; e < h->last; ++e)
      host_element_of(a->ids + e * SURFACE, place, p + e * INNER, p,
                      a->local_u + (f * padded + e) * NODES);
  }
}

BP_INLINE void apply_operators(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int each = host_element_factors(host_components(a), HOST_POINTS);
  const int64_t padded = padded_elements(a);
  bp_vector *work = (bp_vector *)a->scratch;
  host_operator o;
  host_operator_start(a, &o);
  for (int64_t e = h->first; e < h->last; e += BP_LANES)
    for (int64_t f = 0; f < h->fields; ++f) {
      const int64_t at = (f * padded + e) * NODES;
      bp_group_load(a->local_u + at, Q, Q2, PLANE, work, NULL);
      bp_prefetcher ahead = bp_ahead_of(a->factors + e * each, LEAD, REQUESTS);
      bp_pace_factors(&ahead, FACTORS, LINES);
      host_apply(&o, a, a->factors + e * each, work, &ahead);
      bp_group_store(work, Q, Q2, PLANE, a->local_v + at, NULL);
    }
  bp_fence();
}

/* Own unknowns on surfaces: the sum of their copies, none of a fixed one. */
BP_INLINE void sum_copies(const host *h, const int *place, const real *local, real *v)
{
  const bp_cpu_arguments *a = h->a;
  for (int run = 1; run < RUNS; ++run)
    for (int64_t n = h->begin[run]; n < h->end[run]; ++n) {
      real sum = 0;
      for (unsigned c = a->starts[n - a->inner]; c < a->starts[n - a->inner + 1]; ++c) {
        const unsigned copy = a->copied[c];
        sum += local[(int64_t)(copy / SURFACE) * NODES + place[copy % SURFACE]];
      }
      v[n] = sum;
    }
}

BP_INLINE void gather_from_elements(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  int place[SURFACE];
  host_places(place);
  for (int64_t f = 0; f < h->fields; ++f) {
    const real *local = a->local_v + f * padded_elements(a) * NODES;
    real *v = a->ap + f * a->stride, *inner = v + h->first * INNER;
    for (int64_t e = h->first; e < h->last; ++e)
      for (int k = 1; k <= INSIDE; ++k)
        for (int j = 1; j <= INSIDE; ++j, inner += INSIDE)
          for (int i = 0; i < INSIDE; ++i)
            inner[i] = local[e * NODES + (k * BP_NQ + j) * BP_NQ + 1 + i];
    sum_copies(h, place, local, v);
  }
}

BP_INLINE void find_product(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  double sum = 0;
  for (int64_t f = 0; f < h->fields; ++f)
    for (int run = 0; run < RUNS; ++run) {
      const int64_t at = f * a->stride + h->begin[run];
      sum += host_dot(h->end[run] - h->begin[run], a->p + at, a->ap + at);
    }
  host_leave(h, STATE_PAP, sum);
}

BP_KERNEL
{
  host h = host_begin(a, first, last, 1);
  switch (a->option[BP_SOLVE_LAUNCH]) {
  case START:
    host_start(&h);
    clear_padding(&h);
    break;
  case DIRECTION:
    find_direction(&h);
    break;
  case TO_ELEMENTS:
    scatter_to_elements(&h);
    break;
  case OPERATORS:
    apply_operators(&h);
    break;
  case FROM_ELEMENTS:
    gather_from_elements(&h);
    break;
  case PRODUCT:
    find_product(&h);
    break;
  case UPDATE:
    host_update(&h);
    break;
  default:
    host_finish(&h);
  }
}

#endif
