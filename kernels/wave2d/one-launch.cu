/* wave2d/one-launch -- all steps in one launch: blocks meet where launches would end
 *
 * degrees:  1..15 compiled once
 * operands: u v counts steps
 * option:   blocks 1..1024 = 1 -- which all run at once
 * start:    begin; threads 256; blocks (elements * outputs + 255) / 256
 * start:    run; threads threads; blocks blocks; together
 *
 * The text has no meeting: there one thread's step may see what another has not written yet. */
#include "lib/wave2d/step.h"

BP_KERNEL_BOUNDED(begin, 256, 0)
{
  wave2d_begin(elements, u, v);
  if (blockIdx.x == 0 && bp_thread() == 0)
    counts[0] = 0;
}

BP_KERNEL_BOUNDED(run, THREADS, 0)
{
  const int all = 2 * steps[0];
  BP_NO_UNROLL
  for (int k = 0; k < all; ++k) {
    wave2d_step(elements, v, k % 2);
    if (BLOCKS > 1)
      BP_GRID_BARRIER(counts);
    else
      BP_BARRIER();
  }
}
