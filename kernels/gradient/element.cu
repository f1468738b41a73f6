/* gradient/element -- a thread per element, nodes in registers, tables in constants; v in whole lines
 *
 * degrees:  1..3
 * shapes:   tri quad tet
 * operands: gather u v
 * option:   warps 1..8 = 4 -- of a block; a warp has 32 elements
 * option:   blocks_per_sm 1..16 = 1 -- blocks that share a multiprocessor, as far as registers go
 * option:   chunk 1..10 = 1 -- parts in which an element's points are computed and written
 * size:     chunk_points = is_simplex ? (element_points + chunk - 1) / chunk : element_points -- points of a part
 * size:     chunk_row = chunk_points * fields * dim + (chunk_points * fields * dim + 1) % 2 -- doubles from element to element
 * size:     of_warp = max(32 * chunk_row, 16 * node_row) -- doubles of shared memory
 * launch:   apply; threads 32 * warps; blocks (elements + 32 * warps - 1) / (32 * warps); shared real * warps * of_warp
 *
 * A warp brings the nodes' numbers of its elements to shared memory, each lane takes those of its own and
 * gathers their values. All lanes use the same entry of a table at the same time. Results wait in shared
 * memory, an odd number of doubles from element to element, until the warp writes them in the order of v.
 * No barrier but the warp's. */
#include "lib/gradient/element.h"
#include "operators.h"

/* From u at the nodes, x[n][f], to the derivatives at points `first` to `last` - 1, row[q - first][f][d]. */
#if IS_SIMPLEX
BP_DEVICE void differentiate(const double *x, int first, int last, double *row)
{
  BP_UNROLL
  for (int q = first; q < last; ++q) {
    BP_UNROLL
    for (int f = 0; f < BP_FIELDS; ++f) {
      BP_UNROLL
      for (int d = 0; d < DIM; ++d) {
        double sum = 0;
        BP_UNROLL
        for (int n = 0; n < NODES; ++n)
          sum += bp_table[q * DIM + d][n] * x[n * BP_FIELDS + f];
        row[((q - first) * BP_FIELDS + f) * DIM + d] = sum;
      }
    }
  }
}
#else
#include "lib/gradient/plane.h"

/* All points. */
BP_DEVICE void differentiate(const double *x, int first, int last, double *row)
{
  BP_UNROLL
  for (int f = 0; f < BP_FIELDS; ++f) {
    double plane[POINTS];
    BP_UNROLL
    for (int n = 0; n < last; ++n)
      plane[n] = x[n * BP_FIELDS + f];
    differentiate_plane(plane, plane, f, first, row);
  }
}
#endif

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  enum { OF_POINT = BP_FIELDS * DIM };
  double *const mine = shared + bp_warp() * OF_WARP;
  int *const ids = (int *)mine;
  const int lane = bp_lane(), e0 = (blockIdx.x * WARPS + bp_warp()) * 32;
  const int here = max(0, min(32, elements - e0));
  double x[NODES * BP_FIELDS];

  gather_ids(gather + (size_t)e0 * NODES, here * NODES, 32, ids);
  BP_WARP_BARRIER();
  BP_UNROLL
  for (int n = 0; n < NODES; ++n) {
    const size_t id = ids[lane * NODE_ROW + n];
    BP_UNROLL
    for (int f = 0; f < BP_FIELDS; ++f)
      x[n * BP_FIELDS + f] = bp_load_cached(u + id * BP_FIELDS + f);
  }
  BP_UNROLL
  for (int first = 0; first < POINTS; first += CHUNK_POINTS) {
    const int last = first + CHUNK_POINTS < POINTS ? first + CHUNK_POINTS : (int)POINTS;
    const int count = (last - first) * OF_POINT;
    BP_WARP_BARRIER();
    differentiate(x, first, last, mine + lane * CHUNK_ROW);
    BP_WARP_BARRIER();
    double *const to = v + (size_t)e0 * VALUES + first * OF_POINT;
    for (int n = lane; n < here * count; n += 32)
      bp_store_streaming(to + n / count * VALUES + n % count,
                         mine[n / count * CHUNK_ROW + n % count]);
  }
}
