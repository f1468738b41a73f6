/* mapped.h -- v = alpha A u + beta v of a caller's vectors, each node through the caller's number of
 * it. apply: A u, to v inside elements, where each unknown has one node, and to copies on surfaces;
 * surface: v there. To be included before the kernel `apply`. The unknowns that elements share are
 * counted as fem/unknowns.h does, and targets[] has the caller's numbers of them. The option
 * update_blocks says how many blocks of surface share a multiprocessor.
 *
 * size: scheme = 5 -- mapped
 * size: history = 1 -- no directions
 * size: vectors = 1 -- that come with an item: u */
#ifndef BP_KERNELS_SOLVE_MAPPED_H
#define BP_KERNELS_SOLVE_MAPPED_H

#include "lib/solve/batches.h"
#include "lib/solve/vectors.h"

BP_DEVICE iteration iteration_of(const solve_arrays *a)
{
  iteration it = {0};
  it.r_before = it.p_before = it.p = (real *)a->vector_u;
  it.v = a->vector;
  it.copies = a->copies;
  it.inside = a->inside;
  it.stride = a->stride;
  it.elements = a->elements;
  it.alpha = a->alpha;
  it.beta = a->beta;
  return it;
}

/* The block's part of u . A u. */
BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, const exact_sum *energy,
                             double *buffer)
{
  (void)it;
  sums_leave(energy->part[0], a->state + SUMS_PAP, buffer);
  if (blockIdx.x == 0 && bp_thread() == 0)
    a->counts[COUNT_APPLY_BLOCKS] = bp_blocks();
}

/* With atomic sums, before apply: beta v on surfaces. */
BP_KERNEL_BOUNDED(scale, VECTOR_THREADS, 0)
{
  const int step = (int)gridDim.x * VECTOR_THREADS;
  bp_let_next_begin();
  bp_wait_for_previous();
  for (int s = (int)blockIdx.x * VECTOR_THREADS + (int)threadIdx.x; s < unknowns - inner; s += step)
    for (int f = 0; f < BP_FIELDS; ++f) {
      double *const at = vector + f * stride + targets[s];
      *at = beta == 0 ? 0 : beta * *at;
    }
}

/* v of `turns` unknowns on surfaces, n, n + VECTOR_THREADS, .., with `pairs` pairs of slots each. Those
 * that are fixed have no copies. */
BP_DEVICE void mapped_surface(int turns, int pairs, const surface_lists *l, const slot_pair *slots,
                              const real *copies, const int *targets, int n, int count,
                              const iteration *it, real *out)
{
  real v[VECTOR_TURNS];
  int target[VECTOR_TURNS];
  unsigned counted;
  BP_UNROLL
  for (int t = 0; t < turns; ++t)
    target[t] = n + t * VECTOR_THREADS < count ? targets[n + t * VECTOR_THREADS] : -1;
  surface_values(turns, pairs, l, slots, copies, 0, n, count, v, &counted);
  BP_UNROLL
  for (int t = 0; t < turns; ++t)
    if (target[t] >= 0)
      mapped_store(it, out + target[t], v[t]);
}

BP_KERNEL_BOUNDED(surface, VECTOR_THREADS, UPDATE_BLOCKS)
{
  SOLVE_ARRAYS(arrays);
  const unknown_kinds u = unknown_kinds_of(&arrays);
  const surface_lists lists = surface_lists_of(&arrays);
  const iteration it = iteration_of(&arrays);
  const int first[3] = {u.inner, u.faces, u.edges}, last[3] = {u.faces, u.edges, u.all};
  const slot_pair *slots = lists.slots;
  int c = (int)blockIdx.x, from = 0;
  bp_let_next_begin();
  bp_wait_for_previous();
  BP_UNROLL
  for (int kind = 0; kind < 3; ++kind) {
    const int turns = VECTOR_TURNS >> kind, each = turns * VECTOR_THREADS,
              count = last[kind] - first[kind], end = from + (count + each - 1) / each;
    for (; c < end; c += (int)gridDim.x)
      for (int f = 0; f < BP_FIELDS; ++f)
        mapped_surface(turns, 1 << kind, &lists, slots,
                       copies + f * (long long)elements * ELEMENT_SURFACE,
                       targets + first[kind] - u.inner, (c - from) * each + (int)threadIdx.x, count,
                       &it, vector + f * stride);
    slots += (size_t)count << kind;
    from = end;
  }
}

/* *vector = u . A u */
BP_KERNEL_BOUNDED(energy, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  bp_let_next_begin();
  bp_wait_for_previous();
  const double sum = sums_total(state + SUMS_PAP, counts[COUNT_APPLY_BLOCKS], buffer);
  if (threadIdx.x == 0)
    *vector = sum;
}

#endif
