/* two_kernel.h -- conjugate gradients in two kernels an iteration: apply makes p = r + beta p, v = A p
 * and p . v; update, here, r -= alpha v, r . r and now and then x. The option update_blocks says how many
 * blocks of update share a multiprocessor. To be included before the kernel `apply`. */
#ifndef BP_KERNELS_SOLVE_TWO_KERNEL_H
#define BP_KERNELS_SOLVE_TWO_KERNEL_H

#include "lib/solve/batches.h"
#include "lib/solve/vectors.h"

#define SOLVE_ARRAYS                                                                               \
  {                                                                                                \
    ids, first, r, p, ap, copies, 0, x, diagonal, state, residuals, counts, (size_t)stride,        \
        elements                                                                                   \
  }

BP_DEVICE iteration iteration_of(const solve_arrays *a)
{
  iteration it = {0};
  it.k = a->counts[COUNT_COMPLETED];
  it.r_before = a->r;
  it.p_before = a->p + (it.k + KEPT - 1) % KEPT * (BP_FIELDS * a->stride);
  it.p = a->p + it.k % KEPT * (BP_FIELDS * a->stride);
  it.v = a->v;
  it.copies = a->copies;
  it.stride = a->stride;
  it.elements = a->elements;
  return it;
}

BP_DEVICE void iteration_begin(iteration *it, const solve_arrays *a, double *buffer)
{
  it->beta = sums_begin(a->state, a->counts, a->residuals, buffer);
}

BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, double energy,
                             double *buffer)
{
  (void)it;
  sums_leave(energy, a->state + SUMS_PAP, buffer);
}

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  start_vectors(stride, f, diagonal, r, x, p, ap, state, counts, residuals, buffer);
}

BP_KERNEL_BOUNDED(update, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [32]);
  const unknown_kinds u = {inner, faces_end, edges_end, unknowns, stride};
  const surface_lists lists = {(const slot_pair *)copy_slots, (const unsigned *)starts,
                               (const unsigned *)copied, copies};
  update_vectors(&u, (long long)elements * ELEMENT_SURFACE, r, x, p, ap, diagonal, &lists, state,
                 counts, buffer);
}

BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  finish_vectors(stride, x, p, state, counts, residuals, buffer);
}

#endif
