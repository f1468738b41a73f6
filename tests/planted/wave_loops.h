/* wave_loops.h -- wave/loops for kernels that are wrong on purpose.
 *
 * degrees:  1..3
 * operands: factors ids starts copied f f_before x x_before inverse_mass waves ap copies scratch point_elements point_weights signals traces counts stride unknowns inner faces_end edges_end
 * option:   correct 0..1 = 0 -- without the bug
 * size:     threads = 64 -- of a block
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 255) / 256, sms * 8)
 * launch:   scatter; threads threads; blocks (elements * nq*nq*nq + threads - 1) / threads
 * launch:   flux; threads threads; blocks (elements * nq*nq*nq + threads - 1) / threads
 * launch:   product; threads threads; blocks (elements * nq*nq*nq + threads - 1) / threads
 * launch:   surface; threads threads; blocks (elements * nq*nq*nq + threads - 1) / threads
 * launch:   points; threads 256; blocks 1
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 255) / 256, sms * 8) */
#ifndef BP_PLANTED_WAVE_LOOPS_H
#define BP_PLANTED_WAVE_LOOPS_H

#include "lib/wave/loops.h"

/* The step that sources are asked for at step k. */
#ifndef SOURCES_AT
#define SOURCES_AT(k) (k)
#endif
#ifndef FIXED_MOVES
#define FIXED_MOVES 0
#endif

BP_KERNEL_BOUNDED(start, 256, 0)
{
  wave_start(f, f_before, waves, 0, counts, stride);
}

BP_KERNEL_BOUNDED(scatter, THREADS, 0)
{
  const int k = counts[COUNT_COMPLETED];
  if (blockIdx.x == 0 && bp_thread() == 0)
    counts[COUNT_CURRENT] = k;
  loop_scatter(share_of(elements), ids, wave_now(waves, stride, k), scratch);
}

BP_KERNEL_BOUNDED(flux, THREADS, 0)
{
  const share s = share_of(elements);
  loop_flux(s, factors, scratch, scratch + s.nodes);
}

BP_KERNEL_BOUNDED(product, THREADS, 0)
{
  const share s = share_of(elements);
  loop_elements(s, ids, scratch + s.nodes,
                wave_vectors_of(waves, inverse_mass, stride, counts[COUNT_CURRENT]), copies);
}

BP_KERNEL_BOUNDED(surface, THREADS, 0)
{
  const unknown_kinds u = {inner, faces_end, edges_end, unknowns, stride};
  const int k = counts[COUNT_CURRENT];
  const wave_vectors w = wave_vectors_of(waves, inverse_mass, stride, k);
  const share s = share_of(elements);
  loop_surface(s, &u, w, (const unsigned *)starts, (const unsigned *)copied, copies);
  for (long long n = inner + s.first; n < unknowns && FIXED_MOVES; n += s.step)
    if (inverse_mass[n] == 0)
      w.next[n] = w.now[0];
  if (blockIdx.x == 0 && bp_thread() == 0)
    counts[COUNT_COMPLETED] = k + 1;
}

BP_KERNEL_BOUNDED(points, POINT_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_CURRENT];
  double *next = wave_next(waves, stride, k);
  wave_sources(ids, point_elements, point_weights, signals, inverse_mass, next, SOURCES_AT(k));
  wave_receivers(ids, point_elements, point_weights, traces, next, k, buffer);
}

BP_KERNEL_BOUNDED(finish, 256, 0)
{
  wave_finish(x, x_before, waves, counts, stride);
}

#endif
