/* two_kernel.h -- the kernels of a two-kernel solve beside apply: they are the same for all operators.
 * The option
 * update_blocks says how many blocks of update share a multiprocessor. */
#ifndef BP_KERNELS_SOLVE_TWO_KERNEL_H
#define BP_KERNELS_SOLVE_TWO_KERNEL_H

#include "lib/solve/vectors.h"

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
