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

#include "lib/solve/assemble.h"
#include "lib/solve/batches.h"

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

BP_KERNEL_BOUNDED(surface, VECTOR_THREADS, UPDATE_BLOCKS)
{
  SOLVE_ARRAYS(arrays);
  const unknown_kinds u = unknown_kinds_of(&arrays);
  const surface_lists lists = surface_lists_of(&arrays);
  const assembled_place to = {vector, targets, alpha, beta};
  bp_let_next_begin();
  bp_wait_for_previous();
  assemble_copies(&u, (long long)elements * ELEMENT_SURFACE, &to, 0, &lists);
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
