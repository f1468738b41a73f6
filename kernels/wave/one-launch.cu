/* wave/one-launch -- the loops of wave/loops, all steps in one launch: blocks meet where launches would end
 *
 * degrees:  1..15
 * operands: factors ids starts copied f f_before x x_before inverse_mass waves ap copies scratch point_elements point_weights signals traces steps counts stride unknowns inner faces_end edges_end
 * option:   threads 32..1024 = 256 -- of a block
 * option:   blocks 1..1024 = 1 -- which all run at once
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 255) / 256, sms * 8)
 * start:    run; threads threads; blocks blocks; together
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 255) / 256, sms * 8)
 *
 * No launch costs anything between steps, but a meeting of all blocks does. counts[COUNT_MET] counts arrivals. */
#include "lib/wave/loops.h"

enum { COUNT_MET = 8 };

BP_KERNEL_BOUNDED(start, 256, 0)
{
  wave_start(f, f_before, waves, 0, counts, stride);
  if (blockIdx.x == 0 && bp_thread() == 0)
    counts[COUNT_MET] = 0;
}

BP_KERNEL_BOUNDED(run, THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const share s = share_of(elements);
  const unknown_kinds u = {inner, faces_end, edges_end, unknowns, stride};
  const bool has_points = point_elements[0] >= 0 || point_elements[SOURCES] >= 0;
  int *const met = counts + COUNT_MET;
  const int all = steps[0];
  BP_NO_UNROLL
  for (int k = 0; k < all; ++k) {
    const wave_vectors w = wave_vectors_of(waves, inverse_mass, stride, k);
    loop_scatter(s, ids, w.now, scratch);
    BP_GRID_BARRIER(met);
    loop_flux(s, factors, scratch, scratch + s.nodes);
    BP_GRID_BARRIER(met);
    loop_elements(s, ids, scratch + s.nodes, w, copies);
    BP_GRID_BARRIER(met);
    loop_surface(s, &u, w, (const unsigned *)starts, (const unsigned *)copied, copies);
    BP_GRID_BARRIER(met);
    if (has_points && blockIdx.x == 0)
      wave_points(ids, point_elements, point_weights, signals, traces, inverse_mass, w.next, k,
                  buffer);
    if (has_points)
      BP_GRID_BARRIER(met);
  }
  if (s.first == 0)
    counts[COUNT_COMPLETED] = all;
}

BP_KERNEL_BOUNDED(finish, 256, 0)
{
  wave_finish(x, x_before, waves, counts, stride);
}
