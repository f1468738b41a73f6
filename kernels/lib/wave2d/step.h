/* step.h -- a step of wave2d (fem/wave2d.h) for a thread's share of all grids' points: one point, or with
 * `rows` one row, after the other.
 *
 * option: threads 1..1024 = 256 -- of a block
 * option: rows 0..1 = 0 -- a thread takes rows, not points */
#ifndef BP_KERNELS_WAVE2D_STEP_H
#define BP_KERNELS_WAVE2D_STEP_H

#include "abi/gpu.h"

enum { SIDE = BP_FIELDS, GRID = SIDE * SIDE, UNIT = ROWS ? SIDE : 1 };

BP_DEVICE void wave2d_begin(int elements, const double *u, double *v)
{
  const long long step = (long long)gridDim.x * bp_threads(), all = 2LL * GRID * elements;
  for (long long n = (long long)blockIdx.x * bp_threads() + bp_thread(); n < all; n += step)
    v[n] = u[n];
}

/* v[grid][from] is now, the other one before, which becomes next. */
BP_DEVICE void wave2d_step(int elements, double *v, int from)
{
  const long long step = (long long)gridDim.x * bp_threads(),
                  units = (long long)elements * (GRID / UNIT);
  for (long long unit = (long long)blockIdx.x * bp_threads() + bp_thread(); unit < units;
       unit += step)
    for (int m = 0; m < UNIT; ++m) {
      const long long grid = unit / (GRID / UNIT);
      const int at = (int)(unit % (GRID / UNIT)) * UNIT + m, i = at % SIDE;
      const double *const now = v + (2 * grid + from) * GRID + at;
      double *const next = v + (2 * grid + 1 - from) * GRID + at;
      const double around = (i > 0 ? now[-1] : 0) + (i < SIDE - 1 ? now[1] : 0) +
                            (at >= SIDE ? now[-SIDE] : 0) + (at < GRID - SIDE ? now[SIDE] : 0);
      *next = 2 * *now - *next + 0.25 * (around - 4 * *now);
    }
}

#endif
