/* gradient/mma-ahead -- as mma; a warp's next 16 elements are gathered while these are computed
 *
 * degrees:  1..3
 * shapes:   tri tet
 * operands: gather table u v
 * option:   blocks_per_sm 1..16 = 2 -- blocks that share a multiprocessor; there are no more
 * size:     slots = 64 * fields * steps -- doubles of a warp's next elements
 * size:     of_warp = slots + 16 * row -- doubles of shared memory
 * launch:   apply; threads 32 * warps; blocks min(sms * blocks_per_sm, (elements + 16 * warps - 1) / (16 * warps)); shared real * (kept + warps * of_warp)
 *
 * A lane copies the values of its nodes to slots of its own in shared memory, asynchronously, and has the nodes'
 * numbers of the elements after them in registers. */
#include "lib/gradient/mma.h"

/* Numbers of nodes q + 4s of elements g and g + 8; node 0 where there is none. */
BP_DEVICE void load_ids(const int *gather, int e0, int elements, int id[STEPS][2])
{
  const int g = bp_lane() / 4, q = bp_lane() % 4;
  BP_UNROLL
  for (int s = 0; s < STEPS; ++s) {
    BP_UNROLL
    for (int h = 0; h < 2; ++h) {
      const int e = e0 + g + 8 * h, n = 4 * s + q;
      id[s][h] = e < elements && n < NODES ? gather[(size_t)e * NODES + n] : 0;
    }
  }
}

BP_DEVICE void begin_gather(const double *u, const int id[STEPS][2], double *slots)
{
  BP_UNROLL
  for (int s = 0; s < STEPS; ++s) {
    BP_UNROLL
    for (int h = 0; h < 2; ++h) {
      BP_UNROLL
      for (int f = 0; f < BP_FIELDS; ++f)
        bp_async_copy8(slots + ((f * STEPS + s) * 2 + h) * 32 + bp_lane(),
                       u + (size_t)id[s][h] * BP_FIELDS + f);
    }
  }
  bp_async_commit();
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  double *const slots = shared + KEPT + bp_warp() * OF_WARP, *const rows = slots + SLOTS;
  const int step = gridDim.x * WARPS * 16;
  int e0 = (blockIdx.x * WARPS + bp_warp()) * 16, id[STEPS][2];
  LOAD_TABLE(b, table, shared);
  load_ids(gather, e0, elements, id);
  begin_gather(u, id, slots);
  load_ids(gather, e0 + step, elements, id);
  BP_NO_UNROLL
  for (; e0 < elements; e0 += step) {
    double a[BP_FIELDS][STEPS][2];
    BP_ASYNC_WAIT(0);
    BP_UNROLL
    for (int n = 0; n < BP_FIELDS * STEPS * 2; ++n)
      a[n / (STEPS * 2)][n / 2 % STEPS][n % 2] = slots[n * 32 + bp_lane()];
    BP_WARP_BARRIER();
    begin_gather(u, id, slots);
    load_ids(gather, e0 + 2 * step, elements, id);
    differentiate_group(a, b, min(16, elements - e0), rows, v + (size_t)e0 * VALUES);
  }
  BP_ASYNC_WAIT(0);
}
