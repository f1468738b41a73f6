/* pair/index-overflow -- an index of 32 bits, too few for the rows of many points
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
  for (int y = 0; y < BP_FIELDS && t < a.points; ++y)
    for (int x = 0; x < BP_FIELDS; ++x) {
      const long long at = (y * BP_FIELDS + x) * a.points + t;
      a.v[CORRECT ? at : (int)at] = pair_value(a.ax[x * a.points + t], a.ay[y * a.points + t],
                                               a.bx[x * a.points + t], a.by[y * a.points + t]);
    }
}
