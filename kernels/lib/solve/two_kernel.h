/* two_kernel.h -- conjugate gradients in two kernels an iteration: apply makes p = r + beta p, v = A p
 * and p . v; update, here, r -= alpha v, r . r and now and then x. The option update_blocks says how many
 * blocks of update share a multiprocessor. */
#ifndef BP_KERNELS_SOLVE_TWO_KERNEL_H
#define BP_KERNELS_SOLVE_TWO_KERNEL_H

#include "lib/solve/batches.h"
#include "lib/solve/vectors.h"

BP_DEVICE iteration iteration_of(const solve_arrays *a)
{
  iteration it = {0};
  it.k = a->counts[COUNT_COMPLETED];
  it.r_before = a->r;
  it.p_before = a->p + (it.k + KEPT - 1) % KEPT * (BP_FIELDS * a->stride);
  it.p = a->p + it.k % KEPT * (BP_FIELDS * a->stride);
  it.v = a->ap;
  it.copies = a->copies;
  it.stride = a->stride;
  it.elements = a->elements;
  it.post_ends = a->post_ends;
  it.posts = a->posts;
  return it;
}

BP_DEVICE void iteration_begin(iteration *it, const solve_arrays *a, exact_sum *energy,
                               double *buffer)
{
  it->beta = (real)sums_begin(a, energy, buffer);
}

BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, const exact_sum *energy,
                             double *buffer)
{
  (void)it;
  sums_leave_parts(energy, a->state + SUMS_PAP, buffer);
  if (!sums_is_last(a, buffer))
    return;
  sums_share(a->mail, BP_BOX_PAP, a->state + SUMS_PAP, bp_blocks(), buffer);
  mail_post(a->mail);
}

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  SOLVE_ARRAYS(arrays);
  start_vectors(&arrays, buffer);
}

BP_KERNEL_BOUNDED(update, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  SOLVE_ARRAYS(arrays);
  const unknown_kinds u = unknown_kinds_of(&arrays);
  const surface_lists lists = surface_lists_of(&arrays);
  update_vectors(&arrays, &u, &lists, buffer);
}

#if EXACT_SUMS
/* Without mailboxes, what other ranks want after apply: copies of A p at shared unknowns, and p . A p. */
BP_KERNEL_BOUNDED(pack, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  bp_let_next_begin();
  bp_wait_for_previous();
  if (blockIdx.x == 0)
    sums_share(mail, BP_BOX_PAP, state + SUMS_PAP, counts[COUNT_APPLY_BLOCKS], buffer);
  mail_send(mail, (const unsigned *)sent, sent_count, copies, (long long)elements * ELEMENT_SURFACE,
            outbox, BP_FIELDS, 0, buffer);
}

/* And r . r after update. */
BP_KERNEL_BOUNDED(total, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  bp_let_next_begin();
  bp_wait_for_previous();
  sums_share_residual(mail, BP_BOX_RR, state, counts[COUNT_RR_BLOCKS], buffer);
}
#endif

BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  SOLVE_ARRAYS(arrays);
  finish_vectors(&arrays, buffer);
}

#endif
