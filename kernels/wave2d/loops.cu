/* wave2d/loops -- a loop over points, a launch a step; as many threads as are asked for
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   blocks 0..65535 = 0 -- of a launch; 0: as many as there is work for
 * start:    begin; threads 256; blocks (elements * outputs + 255) / 256
 * launch:   even; threads threads; blocks blocks ? blocks : (elements * outputs / (rows ? 2 * fields : 2) + threads - 1) / threads
 * launch:   odd; threads threads; blocks blocks ? blocks : (elements * outputs / (rows ? 2 * fields : 2) + threads - 1) / threads
 *
 * As the text does it, from one thread on. */
#include "lib/wave2d/step.h"

BP_KERNEL_BOUNDED(begin, 256, 0)
{
  wave2d_begin(elements, u, v);
}

BP_KERNEL_BOUNDED(even, THREADS, 0)
{
  wave2d_step(elements, v, 0);
}

BP_KERNEL_BOUNDED(odd, THREADS, 0)
{
  wave2d_step(elements, v, 1);
}
