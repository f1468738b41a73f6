/* host_two_pass.h -- two passes over the vectors in an iteration. apply: p = r + beta p, v = A p and
 * p . v, element by element. update: r -= alpha v, r . r, and x now and then.
 *
 * v is added up where it lies while it is in the cache, since elements follow a curve. What a thread's
 * elements add to unknowns of other threads they leave in copies[]; their owner adds it, in the same order
 * every time. A kernel file has the option history, its first. */
#ifndef BP_KERNELS_SOLVE_HOST_TWO_PASS_H
#define BP_KERNELS_SOLVE_HOST_TWO_PASS_H

#include "lib/solve/host_direction.h"

enum { START, APPLY, UPDATE, FINISH };

/* A group of elements of one component; returns their part of p . A p. Rows of elements that are missing
 * are 0. */
BP_INLINE real apply_group(const host *h, const host_operator *o, const vectors *w,
                           const int *place, int64_t e, bp_vector *work)
{
  real *p = (real *)(work + HOST_GROUP), *v = p + BP_LANES * NODES;
  const int here = h->last - e < BP_LANES ? (int)(h->last - e) : BP_LANES;
  const int each = host_element_factors(host_components(h->a) * HOST_POINTS);
  for (int l = 0; l < here; ++l)
    gather_direction(h, w, place, e + l, p + l * NODES);
  for (int n = here * NODES; n < BP_LANES * NODES; ++n)
    p[n] = 0;
  bp_group_load(p, Q, Q2, PLANE, work, NULL);
  host_apply(o, h->a, h->a->factors + e * each, work);
  host_store(work, Q2, PLANE, v);
  for (int l = 0; l < here; ++l)
    scatter_product(h, w, place, e + l, v + l * NODES);
  return host_dot(BP_LANES * NODES, p, v);
}

BP_INLINE void apply(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const real beta = host_beta(h);
  int place[SURFACE];
  host_operator o;
  real sum = 0;
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
      sum += apply_group(h, &o, &w, place, e, (bp_vector *)a->scratch);
    }
  host_leave(h, STATE_PAP, sum);
}

BP_KERNEL
{
  host h = host_begin(a, first, last, (int)a->option[0]);
  switch (a->option[BP_SOLVE_LAUNCH]) {
  case START:
    host_start(&h);
    find_joints(&h);
    break;
  case APPLY:
    apply(&h);
    break;
  case UPDATE:
    for (int64_t f = 0; f < h.fields; ++f)
      add_joints(&h, a->ap + f * a->stride, a->copies + f * a->elements * SURFACE);
    host_update(&h);
    break;
  default:
    host_finish(&h);
  }
}

#endif
