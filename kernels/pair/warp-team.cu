/* pair/warp-team -- a warp per point, a lane per y, arrays with the species fastest
 *
 * degrees:  1..15 compiled once
 * operands: u_by_species v_by_species
 * option:   warps 1..32 = 8 -- of a block, each with a point of its own
 * launch:   apply; threads 32 * warps; blocks (elements + warps - 1) / warps
 *
 * All lanes read one ax and one bx, which come with their neighbours' cache line; a point has the cache of 32 threads.
 * The price is another order of all arrays. */
#include "lib/pair/arrays.h"

BP_KERNEL_BOUNDED(apply, 32 * WARPS, 1)
{
  const long long t = (long long)blockIdx.x * WARPS + bp_warp(), each = (long long)BP_FIELDS * elements;
  const double *const ax = u_by_species + t * BP_FIELDS;
  const double *const bx = ax + each, *const ay = bx + each, *const by = ay + each;
  double *const v = v_by_species + t * (BP_FIELDS * BP_FIELDS);
  if (t >= elements)
    return;
  BP_NO_UNROLL
  for (int y = bp_lane(); y < BP_FIELDS; y += 32) {
    const double ay_y = ay[y], by_y = by[y];
    BP_NO_UNROLL
    for (int x = 0; x < BP_FIELDS; ++x)
      v[x * BP_FIELDS + y] = pair_value(ax[x], ay_y, bx[x], by_y);
  }
}
