/* two_kernel.h -- conjugate gradients in two kernels an iteration: apply makes p = r + beta p, v = A p
 * and p . v; update, here, r -= alpha v, r . r and now and then x. The option update_blocks says how many
 * blocks of update share a multiprocessor. To be included before the kernel `apply`. */
#ifndef BP_KERNELS_SOLVE_TWO_KERNEL_H
#define BP_KERNELS_SOLVE_TWO_KERNEL_H

#include "lib/solve/batches.h"
#include "lib/solve/vectors.h"

/* What variants for ranks take besides, and what they do not take. */
#if EXACT_SUMS
#define RANK_ARRAYS                                                                                \
  {                                                                                                \
    bounds, mail                                                                                   \
  }
#define SOLVE_DIAGONAL 0
#define SOLVE_INBOX    inbox_of(mail, inbox)
#else
#define RANK_ARRAYS                                                                                \
  {                                                                                                \
    0, 0                                                                                           \
  }
#define SOLVE_DIAGONAL diagonal
#define SOLVE_INBOX    0
#endif

/* Where other ranks' copies come. */
BP_DEVICE const double *inbox_of(const long long *mail, const double *inbox)
{
  return mail[BP_MAIL_RANKS] > 0
             ? (const double *)(mail[BP_MAIL_BOXES + mail[BP_MAIL_RANK]] + BP_BOX_COPIES)
             : inbox;
}

#define SOLVE_ARRAYS                                                                               \
  {                                                                                                \
    ids, first, r, p, ap, copies, 0, x, SOLVE_DIAGONAL, state, residuals, counts, (size_t)stride,  \
        elements, RANK_ARRAYS                                                                      \
  }

#define SURFACE_LISTS                                                                              \
  {                                                                                                \
    (const slot_pair *)copy_slots, (const unsigned *)starts, (const unsigned *)copied, copies,     \
        SOLVE_INBOX, (unsigned)elements *ELEMENT_SURFACE                                           \
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

BP_DEVICE void iteration_begin(iteration *it, const solve_arrays *a, exact_sum *energy,
                               double *buffer)
{
  it->beta = sums_begin(a->state, a->counts, a->residuals, &a->ranks, energy, buffer);
}

BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, const exact_sum *energy,
                             double *buffer)
{
  (void)it;
  sums_leave_parts(energy, a->state + SUMS_PAP, buffer);
}

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  const unknown_kinds u = {inner, faces_end, edges_end, unknowns, stride};
  const surface_lists lists = SURFACE_LISTS;
  const rank_arrays ranks = RANK_ARRAYS;
  start_vectors(stride, f, SOLVE_DIAGONAL, r, x, p, ap, state, counts, residuals, &lists, &u,
                &ranks, buffer);
}

BP_KERNEL_BOUNDED(update, VECTOR_THREADS, UPDATE_BLOCKS)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  const unknown_kinds u = {inner, faces_end, edges_end, unknowns, stride};
  const surface_lists lists = SURFACE_LISTS;
  const rank_arrays ranks = RANK_ARRAYS;
  update_vectors(&u, (long long)elements * ELEMENT_SURFACE, r, x, p, ap, SOLVE_DIAGONAL, &lists,
                 &ranks, state, counts, buffer);
}

#if EXACT_SUMS
/* What other ranks want after apply: copies of A p at shared unknowns and p . A p, to mailboxes, or where the
 * host takes them. */
BP_KERNEL_BOUNDED(pack, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  const bool is_mail = mail[BP_MAIL_RANKS] > 0;
  const long long step = (long long)gridDim.x * VECTOR_THREADS,
                  thread = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x,
                  own = (long long)elements * ELEMENT_SURFACE;
  const unsigned *const places = (const unsigned *)sent;
  const int messages = is_mail ? (int)mail[BP_MAIL_NEIGHBOURS] : 1;
  bp_let_next_begin();
  bp_wait_for_previous();
  if (blockIdx.x == 0)
    sums_share(mail, BP_BOX_PAP, state + SUMS_PAP, counts[COUNT_APPLY_BLOCKS], buffer);
  for (int b = 0; b < messages; ++b) {
    const long long begin = is_mail ? mail[BP_MAIL_FIRST + b] : 0,
                    end = is_mail ? mail[BP_MAIL_FIRST + b + 1] : sent_count;
    double *const to = is_mail ? (double *)mail[BP_MAIL_TO + b] : outbox;
    for (long long n = thread; n < (end - begin) * BP_FIELDS; n += step)
      to[n] = copies[n % BP_FIELDS * own + places[begin + n / BP_FIELDS]];
  }
  if (is_mail && mail_is_last_block(mail, buffer))
    mail_post(mail);
}

/* r . r after update, without mailboxes. */
BP_KERNEL_BOUNDED(total, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  bp_let_next_begin();
  bp_wait_for_previous();
  sums_share(mail, BP_BOX_RR, state + SUMS_RR, counts[COUNT_RR_BLOCKS], buffer);
}
#endif

BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32 * EXACT_PARTS]);
  const rank_arrays ranks = RANK_ARRAYS;
  finish_vectors(stride, x, p, state, counts, residuals, &ranks, buffer);
}

#endif
