/* mail.h -- what ranks tell each other between the kernels of an iteration: pack, copies of A p at shared
 * unknowns and p . A p; total, r . r. Where ranks have mailboxes (abi/ranks.h) both go there, and the stream then waits
 * for the others' (BP_STEP_WAIT); else to outbox[] and to the first parts in state[], and the host passes them on. */
#ifndef BP_KERNELS_SOLVE_MAIL_H
#define BP_KERNELS_SOLVE_MAIL_H

#include "lib/solve/vectors.h"

/* What `count` blocks left of a sum becomes one, for all ranks at `place` of their mailboxes, or here. By one block. */
BP_DEVICE void mail_sum(const long long *mail, int place, double *partial, int count, double *buffer)
{
  const int ranks = (int)mail[BP_MAIL_RANKS], thread = bp_thread();
  double total[EXACT_PARTS];
  BP_UNROLL
  for (int i = 0; i < EXACT_PARTS; ++i) {
    double x = 0;
    for (int n = thread; n < count; n += bp_threads())
      x += partial[EXACT_PARTS * n + i];
    total[i] = sums_block(x, buffer);
  }
  for (int r = thread; r < ranks; r += bp_threads()) {
    double *const to = (double *)(mail[BP_MAIL_BOXES + r] + place);
    BP_UNROLL
    for (int i = 0; i < EXACT_PARTS; ++i)
      to[EXACT_PARTS * mail[BP_MAIL_RANK] + i] = total[i];
  }
  if (ranks > 0)
    return;
  for (int n = thread; n < count; n += bp_threads()) {
    BP_UNROLL
    for (int i = 0; i < EXACT_PARTS; ++i)
      partial[EXACT_PARTS * n + i] = n == 0 ? total[i] : 0;
  }
}

/* After all that the kernel's threads wrote: the other ranks are told, by its last block. */
BP_DEVICE void mail_post(const long long *mail)
{
  const long long ranks = mail[BP_MAIL_RANKS], rank = mail[BP_MAIL_RANK];
  if (ranks == 0)
    return;
  bp_fence_devices();
  BP_BARRIER();
  if (bp_thread() > 0)
    return;
  unsigned *const posts = (unsigned *)(mail[BP_MAIL_BOXES + rank] + BP_BOX_POSTS);
  const int last = (int)gridDim.x - 1;
  if (bp_fetch_next((int *)posts + 1, last) < last)
    return;
  bp_fence_devices();
  const unsigned number = ++*posts;
  for (long long r = 0; r < ranks; ++r)
    if (r != rank)
      bp_signal((unsigned *)(mail[BP_MAIL_BOXES + r] + BP_BOX_FLAGS) + rank, number);
}

BP_KERNEL_BOUNDED(pack, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const long long step = (long long)gridDim.x * VECTOR_THREADS,
                  thread = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x,
                  own = (long long)elements * ELEMENT_SURFACE;
  const unsigned *const places = (const unsigned *)sent;
  const int parts = mail[BP_MAIL_RANKS] > 0 ? (int)mail[BP_MAIL_NEIGHBOURS] : 1;
  bp_let_next_begin();
  bp_wait_for_previous();
  if (blockIdx.x == 0)
    mail_sum(mail, BP_BOX_PAP, state + SUMS_PAP, counts[COUNT_APPLY_BLOCKS], buffer);
  for (int b = 0; b < parts; ++b) {
    const bool is_mail = mail[BP_MAIL_RANKS] > 0;
    const long long first = is_mail ? mail[BP_MAIL_FIRST + b] : 0,
                    end = is_mail ? mail[BP_MAIL_FIRST + b + 1] : sent_count;
    double *const to = is_mail ? (double *)mail[BP_MAIL_TO + b] : outbox;
    for (long long n = thread; n < (end - first) * BP_FIELDS; n += step)
      to[n] = copies[n % BP_FIELDS * own + places[first + n / BP_FIELDS]];
  }
  mail_post(mail);
}

BP_KERNEL_BOUNDED(total, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  bp_let_next_begin();
  bp_wait_for_previous();
  mail_sum(mail, counts[COUNT_COMPLETED] > 0 ? BP_BOX_RR : BP_BOX_FIRST, state + SUMS_RR,
           counts[COUNT_RR_BLOCKS], buffer);
  mail_post(mail);
}

#endif
