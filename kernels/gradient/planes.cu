/* gradient/planes -- quadrilaterals and hexahedra: a lane per element and value, plane after plane
 *
 * degrees:  1..3
 * shapes:   quad hex
 * operands: gather u v
 * option:   warps 1..8 = 1 -- of a block; a warp has 32 elements with one value at a node, 16 with two, 10 with three
 * option:   blocks_per_sm 1..32 = 8 -- blocks that share a multiprocessor, as far as registers go
 * option:   together 1..4 = 1 -- planes that wait for each other and are written at once, as far as there are so many
 * option:   bulk 0..1 = 0 -- bulk copies write v, where elements and planes have an even number of derivatives
 * size:     group = 32 / fields -- elements of a warp
 * size:     planes = dim == 2 ? 1 : nq -- of an element
 * size:     part = min(together, planes) -- planes that are written at once
 * size:     of_plane = nq*nq * fields * dim -- doubles of a plane of an element in v
 * size:     is_bulk = bulk && of_plane % 2 == 0 -- see above
 * size:     row = is_bulk ? same_bank(part * of_plane, fields == 3 ? 10 : 2) : same_bank(part * of_plane, fields == 3 ? 9 : 1) -- doubles from element to element
 * size:     of_warp = max(group * row, (group * node_row + 3) / 4 * 2) -- doubles of shared memory
 * launch:   apply; threads 32 * warps; blocks (elements + group * warps - 1) / (group * warps); shared real * warps * of_warp
 *
 * A lane holds one value at all nodes of an element in registers, and makes the derivatives of a plane of points
 * after the other. They wait in shared memory until the warp writes them in the order of v. Rows are as long as it
 * takes for lanes to meet different banks. No barrier but the warp's. */
#include "abi/gpu.h"
#include "operators.h"

#include "lib/gradient/plane.h"

/* `values` derivatives of each of `here` elements, from shared memory to v. */
BP_DEVICE void write_part(const double *rows, int values, int here, double *to)
{
#if IS_BULK
  bp_async_fence();
  BP_WARP_BARRIER();
  if (bp_lane() < here)
    bp_bulk_store(to + (size_t)bp_lane() * VALUES, rows + bp_lane() * ROW, values * 8);
  bp_bulk_commit();
#else
  BP_WARP_BARRIER();
  for (int n = bp_lane(); n < here * values; n += 32)
    bp_store_streaming(to + n / values * VALUES + n % values, rows[n / values * ROW + n % values]);
#endif
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  double *const mine = shared + bp_warp() * OF_WARP;
  int *const ids = (int *)mine;
  const int lane = bp_lane(), b = lane % GROUP, f = lane / GROUP;
  const int e0 = (blockIdx.x * WARPS + bp_warp()) * GROUP;
  const int here = max(0, min(GROUP, elements - e0));
  const bool is_value = f < BP_FIELDS;
  double x[NODES];

  gather_ids(gather + (size_t)e0 * NODES, here * NODES, GROUP, ids);
  BP_WARP_BARRIER();
  BP_UNROLL
  for (int n = 0; n < NODES; ++n)
    x[n] = bp_load_cached(u + (size_t)ids[b * NODE_ROW + n] * BP_FIELDS + (is_value ? f : 0));
  BP_NO_UNROLL
  for (int k0 = 0; k0 < PLANES; k0 += PART) {
    const int count = PLANES % PART && PLANES - k0 < PART ? PLANES - k0 : (int)PART;
#if IS_BULK
    BP_BULK_WAIT_READ(0);
#endif
    BP_WARP_BARRIER();
    BP_NO_UNROLL
    for (int k = k0; k < k0 + count; ++k) {
      double plane[LINE * LINE], along[LINE * LINE];
      BP_UNROLL
      for (int n = 0; n < LINE * LINE; ++n) {
        if (DIM == 2) {
          plane[n] = x[n];
        } else {
          LINE_SUM(i_t, bp_I, k, x + n, LINE * LINE);
          LINE_SUM(d_t, bp_DI, k, x + n, LINE * LINE);
          plane[n] = i_t;
          along[n] = d_t;
        }
      }
      if (is_value)
        differentiate_plane(along, plane, f, 0, mine + b * ROW + (k - k0) * OF_PLANE);
    }
    write_part(mine, count * OF_PLANE, here, v + (size_t)e0 * VALUES + k0 * OF_PLANE);
  }
#if IS_BULK
  BP_BULK_WAIT_READ(0);
#endif
}
