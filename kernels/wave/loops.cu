/* wave/loops -- four loops over nodes, a launch for each; as many threads as are asked for
 *
 * degrees:  1..15
 * operands: factors ids starts copied f f_before x x_before inverse_mass waves ap copies scratch point_elements point_weights signals traces counts stride unknowns inner faces_end edges_end
 * option:   threads 1..1024 = 256 -- of a block
 * option:   blocks 0..65535 = 0 -- of a launch; 0: as many as there is work for
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 255) / 256, sms * 8)
 * launch:   scatter; threads threads; blocks blocks ? blocks : (elements * nq*nq*nq + threads - 1) / threads
 * launch:   flux; threads threads; blocks blocks ? blocks : (elements * nq*nq*nq + threads - 1) / threads
 * launch:   product; threads threads; blocks blocks ? blocks : (elements * nq*nq*nq + threads - 1) / threads
 * launch:   surface; threads threads; blocks blocks ? blocks : (elements * nq*nq*nq + threads - 1) / threads
 * launch:   points; threads 256; blocks 1
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 255) / 256, sms * 8)
 *
 * The first thing that works. With one thread it is what a text on learning CUDA begins with. */
#include "lib/wave/loops.h"

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
  loop_surface(share_of(elements), &u, wave_vectors_of(waves, inverse_mass, stride, k),
               (const unsigned *)starts, (const unsigned *)copied, copies);
  if (blockIdx.x == 0 && bp_thread() == 0)
    counts[COUNT_COMPLETED] = k + 1;
}

BP_KERNEL_BOUNDED(points, POINT_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_CURRENT];
  wave_points(ids, point_elements, point_weights, signals, traces, inverse_mass,
              wave_next(waves, stride, k), k, buffer);
}

BP_KERNEL_BOUNDED(finish, 256, 0)
{
  wave_finish(x, x_before, waves, counts, stride);
}
