/* host_joints.h -- v = A p added up where it lies, on the CPU. What a thread's elements add to unknowns of
 * other threads they leave in copies[]; their owner adds it, in the same order every time. */
#ifndef BP_KERNELS_SOLVE_HOST_JOINTS_H
#define BP_KERNELS_SOLVE_HOST_JOINTS_H

#include "lib/solve/host.h"

/* A thread's scratch: what groups of elements work in, OWN_NUMBERS of a scheme, then lists of unknowns
 * (host_shared.h). The first one: joints, its own unknowns that elements of other threads touch, -1 behind the
 * last. */
enum { OWN_NUMBERS = 8 };

BP_INLINE real *own_numbers_of(const host *h)
{
  return h->a->scratch + BP_LANES * (HOST_GROUP + 2 * NODES);
}

BP_INLINE int *joints_of(const host *h)
{
  return (int *)(own_numbers_of(h) + OWN_NUMBERS);
}

BP_INLINE void add_joints(const host *h, real *v, const real *copies)
{
  const bp_cpu_arguments *a = h->a;
  for (const int *at = joints_of(h); *at >= 0; ++at) {
    const int64_t s = *at - a->inner;
    for (unsigned c = a->starts[s]; c < a->starts[s + 1]; ++c)
      if (a->copied[c] / SURFACE >= h->last)
        v[*at] += copies[a->copied[c]];
  }
}

/* v of element e's surface to where it belongs. */
BP_INLINE void scatter_surface(const host *h, real *v, real *copies, const int *place, int64_t e,
                               const real *local)
{
  const int *ids = h->a->ids + e * SURFACE, *first = h->a->first + CLASSES * e;
  for (int c = 0; c < CLASSES; ++c)
    for (int id = first[c]; id < first[CLASSES + c]; ++id)
      v[id] = 0;
  for (int m = 0; m < SURFACE; ++m) {
    const int id = ids[m];
    if (id >= h->begin[host_class(m) + 1])
      v[id] += local[place[m]];
    else if (id >= 0)
      copies[e * SURFACE + m] = local[place[m]];
  }
}

#endif
