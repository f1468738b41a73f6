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

/* Lists of the thread's unknowns: joints that no other rank has, unknowns that are shared with other
 * ranks, fixed ones. One stands behind the other; -1 is the end of each. */
enum { JOINTS, SHARED, ARE_FIXED, LISTS };

BP_INLINE void list_unknowns(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  int *to = joints_of(h);
  for (int list = JOINTS; list < LISTS; ++list) {
    for (int run = 1; run < RUNS; ++run)
      for (int64_t n = h->begin[run]; n < h->end[run]; ++n) {
        const int64_t s = n - a->inner;
        const unsigned next = a->starts[s + 1];
        const int is_fixed = next == a->starts[s];
        const int is_shared = ranks_of(h)->inbox && has_foreign_copy(h, s);
        const int is_joint = !is_fixed && a->copied && a->copied[next - 1] / SURFACE >= h->last;
        if (list == SHARED ? is_shared : list == JOINTS ? is_joint && !is_shared : is_fixed)
          *to++ = (int)n;
      }
    *to++ = -1;
  }
}

BP_INLINE const int *list_of(const host *h, int list)
{
  const int *at = joints_of(h);
  for (; list > 0; --list, ++at)
    while (*at >= 0)
      ++at;
  return at;
}

/* Elements leave there what they like. */
BP_INLINE void clear_fixed(const host *h, real *v)
{
  for (const int *at = list_of(h, ARE_FIXED); *at >= 0; ++at)
    v[*at] = 0;
}

/* v of shared unknowns, field f. */
BP_INLINE void sum_shared(const host *h, int64_t f, real *v, const real *copies)
{
  const bp_cpu_arguments *a = h->a;
  for (const int *at = list_of(h, SHARED); *at >= 0; ++at) {
    const int64_t s = *at - a->inner;
    real sum = 0;
    for (unsigned c = a->starts[s]; c < a->starts[s + 1]; ++c) {
      const int64_t copy = a->copied[c], foreign = copy - copies_here(h);
      sum += foreign < 0 ? copies[copy] : (real)ranks_of(h)->inbox[foreign * h->fields + f];
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
