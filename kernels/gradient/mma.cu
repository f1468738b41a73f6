/* gradient/mma -- triangles and tetrahedra: a table of all derivatives times u on the FP64 tensor cores
 *
 * degrees:  1..3
 * shapes:   tri tet
 * operands: gather table u v
 * option:   blocks_per_sm 1..16 = 2 -- blocks that share a multiprocessor
 * option:   turns 1..16 = 1 -- times 16 elements that a warp has one after the other
 * launch:   apply; threads 32 * warps; blocks (elements + 16 * warps * turns - 1) / (16 * warps * turns); shared real * (kept + warps * 16 * row)
 *
 * A lane gathers its nodes, then see mma.h. */
#include "lib/gradient/mma.h"

/* Of elements g and g + 8 of e0 ..; anything beyond. */
BP_DEVICE void gather_nodes(const int *gather, const double *u, int e0, int elements,
                            double a[BP_FIELDS][STEPS][2])
{
  const int g = bp_lane() / 4, q = bp_lane() % 4;
  BP_UNROLL
  for (int s = 0; s < STEPS; ++s) {
    BP_UNROLL
    for (int h = 0; h < 2; ++h) {
      const int e = e0 + g + 8 * h, n = 4 * s + q;
      const int id = e < elements && n < NODES ? gather[(size_t)e * NODES + n] : 0;
      BP_UNROLL
      for (int f = 0; f < BP_FIELDS; ++f)
        a[f][s][h] = bp_load_cached(u + (size_t)id * BP_FIELDS + f);
    }
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  LOAD_TABLE(b, table, shared);
  BP_NO_UNROLL
  for (int turn = 0; turn < TURNS; ++turn) {
    const int e0 = ((blockIdx.x * TURNS + turn) * WARPS + bp_warp()) * 16;
    if (e0 >= elements)
      return;
    double a[BP_FIELDS][STEPS][2];
    gather_nodes(gather, u, e0, elements, a);
    differentiate_group(a, b, min(16, elements - e0), shared + KEPT + bp_warp() * 16 * ROW,
                        v + (size_t)e0 * VALUES);
  }
}
