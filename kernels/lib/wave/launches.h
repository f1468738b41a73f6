/* launches.h -- the kernels of surface.h, for kernel files whose first kernel finishes the nodes inside
 * elements. */
#ifndef BP_KERNELS_WAVE_LAUNCHES_H
#define BP_KERNELS_WAVE_LAUNCHES_H

#include "lib/wave/surface.h"

BP_KERNEL_BOUNDED(start, VECTOR_THREADS, 0)
{
  wave_start(f, f_before, waves, SURFACE_ATOMIC ? ap : 0, traces, counts, stride);
}

BP_KERNEL_BOUNDED(surface, VECTOR_THREADS, UPDATE_BLOCKS)
{
  const unknown_kinds u = {inner, faces_end, edges_end, unknowns, stride};
  const surface_lists lists = {(const slot_pair *)copy_slots, (const unsigned *)starts,
                               (const unsigned *)copied, copies};
  bp_let_next_begin();
  bp_wait_for_previous();
  const int k = counts[COUNT_CURRENT];
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
  wave_points(ids, point_elements, point_weights, signals, traces, inverse_mass,
              wave_next(waves, stride, k), k, buffer);
}

BP_KERNEL_BOUNDED(finish, VECTOR_THREADS, 0)
{
  wave_finish(x, x_before, waves, counts, stride);
}

#endif
