/* two_kernel.h -- conjugate gradients in two kernels an iteration: apply makes p = r + beta p, v = A p
 * and p . v; update, here, r -= alpha v, r . r and now and then x. The option update_blocks says how many
 * blocks of update share a multiprocessor. To be included before the kernel `apply`. */
#ifndef BP_KERNELS_SOLVE_TWO_KERNEL_H
#define BP_KERNELS_SOLVE_TWO_KERNEL_H

#include "lib/solve/batches.h"
#include "lib/solve/vectors.h"

/* What variants for ranks take besides, and what they do not take. */
#if EXACT_SUMS
#define SOLVE_BOUNDS   bounds
#define SOLVE_DIAGONAL 0
#define SOLVE_INBOX    inbox
#else
#define SOLVE_BOUNDS   0
#define SOLVE_DIAGONAL diagonal
#define SOLVE_INBOX    0
#endif

#define SOLVE_ARRAYS                                                                               \
  {                                                                                                \
    ids, first, r, p, ap, copies, 0, x, SOLVE_DIAGONAL, state, residuals, counts, (size_t)stride,  \
        elements, SOLVE_BOUNDS                                                                     \
  }

#define SURFACE_LISTS                                                                              \
  {                                                                                                \
    (const slot_pair *)copy_slots, (const unsigned *)starts, (const unsigned *)copied, copies,     \
        SOLVE_INBOX, (unsigned)elements * ELEMENT_SURFACE                                          \
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
  it->beta = sums_begin(a->state, a->counts, a->residuals, a->bounds, &it->energy, buffer);
}

BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, double *buffer)
{
  sums_leave_parts(&it->energy, a->state + SUMS_PAP, buffer);
}

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const unknown_kinds u = {inner, faces_end, edges_end, unknowns, stride};
  const surface_lists lists = SURFACE_LISTS;
  start_vectors(stride, f, SOLVE_DIAGONAL, r, x, p, ap, state, counts, residuals, &lists, &u,
                SOLVE_BOUNDS, buffer);
}

BP_KERNEL_BOUNDED(update, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [32]);
  const unknown_kinds u = {inner, faces_end, edges_end, unknowns, stride};
  const surface_lists lists = SURFACE_LISTS;
  update_vectors(&u, (long long)elements * ELEMENT_SURFACE, r, x, p, ap, SOLVE_DIAGONAL, &lists,
                 SOLVE_BOUNDS, state, counts, buffer);
}

#if EXACT_SUMS
/* Copies that other ranks want, in their order. */
BP_KERNEL_BOUNDED(pack, VECTOR_THREADS, 0)
{
  const long long step = (long long)gridDim.x * VECTOR_THREADS,
                  all = (long long)sent_count * BP_FIELDS,
                  own = (long long)elements * ELEMENT_SURFACE;
  bp_let_next_begin();
  bp_wait_for_previous();
  for (long long n = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x; n < all; n += step)
    outbox[n] = copies[n % BP_FIELDS * own + ((const unsigned *)sent)[n / BP_FIELDS]];
}
#endif

BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  finish_vectors(stride, x, p, state, counts, residuals, buffer);
}

#endif
