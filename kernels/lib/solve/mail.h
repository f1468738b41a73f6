/* mail.h -- mailboxes of ranks (abi/ranks.h): where they are, and what is posted and waited for. */
#ifndef BP_KERNELS_SOLVE_MAIL_H
#define BP_KERNELS_SOLVE_MAIL_H

#include "abi/gpu.h"
#include "abi/ranks.h"

/* What lies at `place` of a rank's. */
BP_DEVICE char *mail_box(const long long *mail, long long rank, int place)
{
  return (char *)mail[BP_MAIL_BOXES + rank] + place;
}

BP_DEVICE unsigned *mail_posts(const long long *mail)
{
  return (unsigned *)mail_box(mail, mail[BP_MAIL_RANK], BP_BOX_POSTS);
}

/* By all threads: what the others posted as often as this rank is there. */
BP_DEVICE void mail_wait(const long long *mail)
{
  if (!mail[BP_MAIL_WAITS])
    return;
  const unsigned posts = *mail_posts(mail);
  const unsigned *const flags = (const unsigned *)mail_box(mail, mail[BP_MAIL_RANK], BP_BOX_FLAGS);
  for (int r = bp_thread(); r < mail[BP_MAIL_RANKS]; r += bp_threads())
    if (r != mail[BP_MAIL_RANK])
      bp_wait_for_signal(flags + r, posts);
  BP_BARRIER();
}

/* By all threads: whether this block is the last one to come here; then all that the others wrote before can
 * be read. *shared: for the answer. */
BP_DEVICE bool mail_is_last_block(const long long *mail, double *shared)
{
  BP_BARRIER();
  if (bp_thread() == 0) {
    const int last = bp_blocks() - 1;
    bp_fence_devices();
    *shared = bp_fetch_next((int *)mail_posts(mail) + 1, last) == last;
    bp_fence_devices();
  }
  BP_BARRIER();
  return *shared > 0;
}

/* By all threads of that block, after the last thing that is to be seen: the other ranks are told. */
BP_DEVICE void mail_post(const long long *mail)
{
  BP_BARRIER();
  if (bp_thread() > 0)
    return;
  bp_fence_devices();
  const unsigned number = ++*mail_posts(mail);
  for (int r = 0; r < mail[BP_MAIL_RANKS]; ++r)
    if (r != mail[BP_MAIL_RANK])
      bp_signal((unsigned *)mail_box(mail, r, BP_BOX_FLAGS) + mail[BP_MAIL_RANK], number);
}

/* Where copies come: in half 0 or 1 of the box. Who posts once an iteration takes the halves in turns,
 * since others may be an iteration ahead, and write while this rank reads. */
BP_DEVICE const double *mail_inbox(const long long *mail, const double *inbox, int half)
{
  return mail[BP_MAIL_RANKS] > 0
             ? (const double *)(mail_box(mail, mail[BP_MAIL_RANK], BP_BOX_COPIES) +
                                half * mail[BP_MAIL_HALF])
             : inbox;
}

/* By all threads of the grid: copies at sent[], e S + m, or 0 where all its bits are 1, `all` of each field,
 * go to others' boxes, of which the last block tells them, or to outbox[] in the order of messages. */
BP_DEVICE void mail_send(const long long *mail, const unsigned *sent, int sent_count,
                         const real *copies, long long all, double *outbox, int fields, int half,
                         double *shared)
{
  const bool is_mail = mail[BP_MAIL_RANKS] > 0;
  const long long step = (long long)gridDim.x * bp_threads(),
                  thread = (long long)blockIdx.x * bp_threads() + bp_thread();
  const int messages = is_mail ? (int)mail[BP_MAIL_NEIGHBOURS] : 1;
  for (int b = 0; b < messages; ++b) {
    const long long begin = is_mail ? mail[BP_MAIL_FIRST + b] : 0,
                    end = is_mail ? mail[BP_MAIL_FIRST + b + 1] : sent_count;
    double *const to =
        is_mail ? (double *)(mail[BP_MAIL_TO + b] + half * mail[BP_MAIL_HALVES + b]) : outbox;
    for (long long n = thread; n < (end - begin) * fields; n += step) {
      const unsigned at = sent[begin + n / fields];
      to[n] = at == 0xffffffffu ? 0 : copies[n % fields * all + at];
    }
  }
  if (is_mail && mail_is_last_block(mail, shared))
    mail_post(mail);
}

#endif
