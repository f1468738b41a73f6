/* bp1.0/slabs -- slice by slice through two shared slabs, u and v in global memory
 *
 * degrees:  1..15
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nc, nc, elements_per_block; shared 8 * (nc * (nq + (pad && nq % 8 == 0)) + elements_per_block * 2 * nc * (nc + (pad && nc % 8 == 0)))
 * shared traffic: 8 * nc*nq / elements_per_block + 8 * (2 * nc*nq*nq*nq + 4 * nc*nc*nq*nq + 4 * nc*nc*nc*nq + nc*nq*nq + 2 * nc*nc*nq + nc*nc*nc)
 *
 * Thread (a, b) owns a column in t. For each slice of points: interpolate the column to it, then in r
 * and s from slab to slab, scale, the same back, and add to the column of the result. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_I, shared, BP_ROW(BP_NQ));
  BP_ROWS_AT(s_p, shared + BP_NC * BP_ROW(BP_NQ) + threadIdx.z * 2 * BP_NC * BP_ROW(BP_NC),
             BP_ROW(BP_NC));
  double(*s_q)[BP_ROW(BP_NC)] = s_p + BP_NC;
  const int a = threadIdx.x, b = threadIdx.y, slab = BP_NQ * BP_NQ;
  const size_t e = element_to_read(elements);
  const double *ue = u + e * BP_NODES + b * BP_NQ + a;
  const double *we = factors + e * BP_POINTS + b * BP_NC + a;
  double *ve = v + e * BP_NODES + b * BP_NQ + a;
  const bool is_node = a < BP_NQ && b < BP_NQ;
  const bool stores = is_node && element_of_thread() < elements;
  if (stores)
    clear(BP_NQ, ve, slab);
  load_matrix(*s_I, BP_ROW(BP_NQ), I, BP_NC, BP_NQ);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c) {
    if (is_node)
      s_p[b][a] = dot(BP_NQ, s_I[c], 1, ue, slab);
    BP_BARRIER();
    if (b < BP_NQ)
      s_q[b][a] = dot(BP_NQ, s_I[a], 1, s_p[b], 1);
    BP_BARRIER();
    s_p[b][a] = we[c * BP_NC * BP_NC] * dot(BP_NQ, s_I[b], 1, &s_q[0][a], BP_ROW(BP_NC));
    BP_BARRIER();
    if (b < BP_NQ)
      s_q[b][a] = dot(BP_NC, &s_I[0][b], BP_ROW(BP_NQ), &s_p[0][a], BP_ROW(BP_NC));
    BP_BARRIER();
    if (is_node) {
      const double sum = dot(BP_NC, &s_I[0][a], BP_ROW(BP_NQ), s_q[b], 1);
      if (stores)
        add_scaled(BP_NQ, ve, slab, s_I[c], sum);
    }
  }
}
