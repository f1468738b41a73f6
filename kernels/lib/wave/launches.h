/* launches.h -- the kernels of surface.h, for kernel files whose first kernel finishes the nodes inside
 * elements. Those for ranks have the size exact_sums, and the launches sources and pack besides.
 *
 * operands: factors ids first copy_slots starts copied f f_before x x_before inverse_mass waves ap copies point_elements point_weights signals traces counts stride unknowns inner faces_end edges_end
 * option: update_blocks 1..8 = 4 -- blocks of surface that share a multiprocessor
 * size: history = 1 -- nothing is kept
 * size: atomic = 0 -- surface nodes of v are stored as copies
 * bytes: 32 * unknowns + 8 * (unknowns - inner) + elements * (24 * surface_nodes + 8 * element_factors)
 * start: start; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8))
 * launch: step; threads block_threads; blocks max(1, min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm)); shared real * step_shared
 * launch: surface; threads 256; blocks max(1, min((elements * element_surface + 2047) / 2048, sms * update_blocks))
 * launch: points; threads 256; blocks 1
 * finish: finish; threads 256; blocks max(1, min((elements * nq*nq*nq + 1023) / 1024, sms * 8)) */
#ifndef BP_KERNELS_WAVE_LAUNCHES_H
#define BP_KERNELS_WAVE_LAUNCHES_H

#include "lib/wave/surface.h"

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  wave_start(f, f_before, waves, SURFACE_ATOMIC ? ap : 0, counts, stride);
}

#if EXACT_SUMS
/* The half of mailboxes that the next post is of. */
BP_DEVICE int wave_half(const long long *mail)
{
  return mail[BP_MAIL_RANKS] > 0 ? (int)(*mail_posts(mail) % 2) : 0;
}

BP_KERNEL_BOUNDED(sources, POINT_THREADS, 0)
{
  bp_let_next_begin();
  bp_wait_for_previous();
  const int k = counts[COUNT_CURRENT];
  wave_sources_shared(ids, point_elements, point_weights, signals, inverse_mass, copies,
                      wave_next(waves, stride, k), k);
}

BP_KERNEL_BOUNDED(pack, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [1]);
  bp_let_next_begin();
  bp_wait_for_previous();
  mail_send(mail, (const unsigned *)sent, sent_count, copies, (long long)elements * ELEMENT_SURFACE,
            outbox, 1, wave_half(mail), buffer);
}
#endif

BP_KERNEL_BOUNDED(surface, VECTOR_THREADS, UPDATE_BLOCKS)
{
  SOLVE_ARRAYS(arrays);
  const unknown_kinds u = unknown_kinds_of(&arrays);
  surface_lists lists = surface_lists_of(&arrays);
  bp_let_next_begin();
  bp_wait_for_previous();
  const int k = counts[COUNT_CURRENT];
#if EXACT_SUMS
  if (mail[BP_MAIL_RANKS] > 0)
    mail_wait(mail);
  lists.inbox = mail_inbox(mail, inbox, 1 - wave_half(mail));
#endif
  const wave_vectors w = wave_vectors_of(waves, inverse_mass, stride, k);
  if (SURFACE_ATOMIC)
    wave_surface_added(&u, w, ap);
  else
    wave_surface(&u, w, &lists);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    counts[COUNT_COMPLETED] = k + 1;
}

BP_KERNEL_BOUNDED(points, POINT_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  bp_let_next_begin();
  bp_wait_for_previous();
  const int k = counts[COUNT_CURRENT];
#if EXACT_SUMS
  wave_receivers(ids, point_elements, point_weights, traces, wave_next(waves, stride, k), k,
                 buffer);
#else
  wave_points(ids, point_elements, point_weights, signals, traces, inverse_mass,
              wave_next(waves, stride, k), k, buffer);
#endif
}

BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  wave_finish(x, x_before, waves, counts, stride);
}

#endif
