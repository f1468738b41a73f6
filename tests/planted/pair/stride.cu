/* pair/stride -- rows of v stand closer than they are long, unless 8 divides the number of points
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   correct 0..1 = 0 -- without the bug
 * launch:   apply; threads 64; blocks (elements + 63) / 64 */
#include "lib/pair/arrays.h"

BP_KERNEL(apply)
{
  const pair_arrays a = PAIR_ARRAYS;
  const long long t = (long long)blockIdx.x * 64 + threadIdx.x;
  const long long row = CORRECT ? a.points : a.points - a.points % 8;
  for (int y = 0; y < BP_FIELDS && t < a.points; ++y)
    for (int x = 0; x < BP_FIELDS; ++x)
      a.v[((long long)y * BP_FIELDS + x) * row + t] =
          pair_value(a.ax[x * a.points + t], a.ay[y * a.points + t], a.bx[x * a.points + t],
                     a.by[y * a.points + t]);
}
