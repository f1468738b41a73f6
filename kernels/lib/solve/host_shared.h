/* host_shared.h -- v = A p of unknowns that other ranks have as well, on the CPU: the sum of all copies
 * in the order of the whole mesh's elements. Own elements leave theirs in copies[], those of others come
 * into inbox[]. */
#ifndef BP_KERNELS_SOLVE_HOST_SHARED_H
#define BP_KERNELS_SOLVE_HOST_SHARED_H

#include "lib/solve/host_joints.h"

#include "abi/ranks.h"

BP_INLINE const bp_rank_arguments *ranks_of(const host *h)
{
  return (const bp_rank_arguments *)h->a;
}

BP_INLINE int64_t copies_here(const host *h)
{
  return h->a->elements * SURFACE;
}

BP_INLINE int has_foreign_copy(const host *h, int64_t s)
{
  const bp_cpu_arguments *a = h->a;
  for (unsigned c = a->starts[s]; c < a->starts[s + 1]; ++c)
    if (a->copied[c] >= copies_here(h))
      return 1;
  return 0;
}

/* Joints that no other rank has and, behind their end, the thread's shared unknowns; -1 is the end
 * of both. */
BP_INLINE void list_unknowns(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  int *to = joints_of(h);
  for (int are_shared = 0; are_shared < 2; ++are_shared) {
    for (int run = 1; run < RUNS; ++run)
      for (int64_t n = h->begin[run]; n < h->end[run]; ++n) {
        const int64_t s = n - a->inner;
        const unsigned next = a->starts[s + 1];
        const int is_shared = ranks_of(h)->inbox && has_foreign_copy(h, s);
        const int is_joint = next > a->starts[s] && a->copied[next - 1] / SURFACE >= h->last;
        if (are_shared ? is_shared : is_joint && !is_shared)
          *to++ = (int)n;
      }
    *to++ = -1;
  }
}

BP_INLINE const int *shared_of(const host *h)
{
  const int *at = joints_of(h);
  while (*at >= 0)
    ++at;
  return at + 1;
}

/* v of shared unknowns, field f. */
BP_INLINE void sum_shared(const host *h, int64_t f, real *v, const real *copies)
{
  const bp_cpu_arguments *a = h->a;
  for (const int *at = shared_of(h); *at >= 0; ++at) {
    const int64_t s = *at - a->inner;
    real sum = 0;
    for (unsigned c = a->starts[s]; c < a->starts[s + 1]; ++c) {
      const int64_t copy = a->copied[c], foreign = copy - copies_here(h);
      sum += foreign < 0 ? copies[copy] : ranks_of(h)->inbox[foreign * h->fields + f];
    }
    v[*at] = sum;
  }
}

/* v of element e's surface, if other ranks want it. */
BP_INLINE void leave_copies(const host *h, real *copies, const int *place, int64_t e, const real *v)
{
  if (ranks_of(h)->halo[e])
    for (int m = 0; m < SURFACE; ++m)
      copies[e * SURFACE + m] = v[place[m]];
}

#endif
