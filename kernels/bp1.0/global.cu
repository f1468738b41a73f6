/* bp1.0/global -- six contractions one after another, all between them in global memory
 *
 * degrees:  1..15
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nc, nc, elements_per_block; shared 8 * nc * (nq + (pad && nq % 8 == 0))
 * scratch:  (elements + elements_per_block) * 2 * nc*nc*nc
 * shared traffic: 8 * nc*nq / elements_per_block + 8 * (2 * (nc*nq*nq*nq + nc*nc*nq*nq + nc*nc*nc*nq))
 *
 * Thread (a, b) owns a column in t. Shared memory holds I only; the two arrays of an element
 * between the contractions are global. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_I, shared, BP_ROW(BP_NQ));
  const int a = threadIdx.x, b = threadIdx.y, slab = BP_NC * BP_NC;
  const size_t e = element_to_read(elements);
  const double *ue = u + e * BP_NODES, *we = factors + e * BP_POINTS + b * BP_NC + a;
  double *ve = v + e * BP_NODES + b * BP_NQ + a;
  double *from = scratch + (size_t)element_of_thread() * 2 * BP_POINTS, *to = from + BP_POINTS;
  load_matrix(*s_I, BP_ROW(BP_NQ), I, BP_NC, BP_NQ);
  BP_BARRIER();

  /* to[k][j][a], then from[k][b][a] */
  if (b < BP_NQ)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    to[k * slab + b * BP_NC + a] = dot(BP_NQ, s_I[a], 1, ue + (k * BP_NQ + b) * BP_NQ, 1);
  BP_BARRIER();
  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    from[k * slab + b * BP_NC + a] = dot(BP_NQ, s_I[b], 1, to + k * slab + a, BP_NC);
  BP_BARRIER();

  /* The column: to[c][b][a] at the points, and back to from[k][b][a]. */
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    to[c * slab + b * BP_NC + a] = we[c * slab] * dot(BP_NQ, s_I[c], 1, from + b * BP_NC + a, slab);
  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    from[k * slab + b * BP_NC + a] =
        dot(BP_NC, &s_I[0][k], BP_ROW(BP_NQ), to + b * BP_NC + a, slab);
  BP_BARRIER();

  /* to[k][j][a], then v */
  if (b < BP_NQ)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    to[k * slab + b * BP_NC + a] =
        dot(BP_NC, &s_I[0][b], BP_ROW(BP_NQ), from + k * slab + a, BP_NC);
  BP_BARRIER();
  if (a < BP_NQ && b < BP_NQ && element_of_thread() < elements)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    ve[k * BP_NQ * BP_NQ] = dot(BP_NC, &s_I[0][a], BP_ROW(BP_NQ), to + k * slab + b * BP_NC, 1);
}
