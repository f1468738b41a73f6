/* peaks/gpu-mail -- what ranks tell each other by mailboxes (lib/solve/mail.h), without a solve; u is mail[]
 *
 * degrees:  1..1 compiled once
 * option:   is_sum 0..1 = 0 -- three values for every rank instead of copies for neighbours
 * launch:   tell; threads 256; blocks 16
 * launch:   hear; threads 256; blocks 16
 *
 * As in a solve the last block to come posts, and the next kernel waits before it reads. One rank alone
 * does neither: NCCL is between the two. */
#include "abi/gpu.h"
#include "lib/solve/mail.h"

BP_KERNEL_BOUNDED(tell, 256, 0)
{
  BP_SHARED(double, shared, [1]);
  const long long *const mail = (const long long *)u;
  const int thread = (int)blockIdx.x * 256 + bp_thread(), step = (int)gridDim.x * 256;
  if (IS_SUM) {
    for (int r = thread; r < mail[BP_MAIL_RANKS]; r += step)
      for (int n = 0; n < BP_SOLVE_PARTS; ++n)
        ((double *)mail_box(mail, r, BP_BOX_PAP))[BP_SOLVE_PARTS * mail[BP_MAIL_RANK] + n] = n;
  } else {
    for (int b = 0; b < mail[BP_MAIL_NEIGHBOURS]; ++b) {
      const int first = (int)mail[BP_MAIL_FIRST + b],
                count = (int)mail[BP_MAIL_FIRST + b + 1] - first;
      for (int n = thread; n < count; n += step)
        ((double *)mail[BP_MAIL_TO + b])[n] = v[first + n];
    }
  }
  if (mail[BP_MAIL_RANKS] > 1 && mail_is_last_block(mail, shared))
    mail_post(mail);
}

BP_KERNEL_BOUNDED(hear, 256, 0)
{
  const long long *const mail = (const long long *)u;
  const double *const come = (const double *)mail_box(mail, mail[BP_MAIL_RANK],
                                                      IS_SUM ? BP_BOX_PAP : BP_BOX_COPIES);
  const int count = (int)(IS_SUM ? BP_SOLVE_PARTS * mail[BP_MAIL_RANKS]
                                 : mail[BP_MAIL_FIRST + mail[BP_MAIL_NEIGHBOURS]]);
  mail_wait(mail);
  for (int n = (int)blockIdx.x * 256 + bp_thread(); n < count; n += (int)gridDim.x * 256)
    v[n] = come[n];
}
