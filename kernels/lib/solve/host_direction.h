/* host_direction.h -- p = r + beta p of an element to where its operator reads it, and v = A p from there, on
 * the CPU. */
#ifndef BP_KERNELS_SOLVE_HOST_DIRECTION_H
#define BP_KERNELS_SOLVE_HOST_DIRECTION_H

#include "lib/solve/host_joints.h"

typedef struct {
  const real *r, *before; /* of one component */
  real *now, *v, *copies;
  real beta;
} vectors;

/* p of element e in the order of its nodes; what the element owns is written. */
BP_INLINE void gather_direction(const host *h, const vectors *w, const int *place, int64_t e,
                                real *local)
{
  const bp_cpu_arguments *a = h->a;
  const int *ids = a->ids + e * SURFACE, *first = a->first + CLASSES * e;
  const real beta = w->beta;
  int64_t at = e * INNER;
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j, at += INSIDE) {
      real *row = local + (k * BP_NQ + j) * BP_NQ + 1;
      for (int i = 0; i < INSIDE; ++i)
        w->now[at + i] = row[i] = w->r[at + i] + beta * w->before[at + i];
    }
  for (int m = 0; m < SURFACE; ++m) {
    const int id = ids[m];
    const real p = id < 0 ? 0 : w->r[id] + beta * w->before[id];
    local[place[m]] = p;
    if (id >= first[host_class(m)])
      w->now[id] = p;
  }
}

/* v of element e to where it belongs. */
BP_INLINE void scatter_product(const host *h, const vectors *w, const int *place, int64_t e,
                               const real *local)
{
  int64_t at = e * INNER;
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j, at += INSIDE) {
      const real *row = local + (k * BP_NQ + j) * BP_NQ + 1;
      for (int i = 0; i < INSIDE; ++i)
        w->v[at + i] = row[i];
    }
  scatter_surface(h, w->v, w->copies, place, e, local);
}

#endif
