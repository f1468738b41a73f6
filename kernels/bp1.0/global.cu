/* bp1.0/global -- six contractions one after another, all between them in global memory
 *
 * degrees:  1..15
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * launch:   apply; threads nc, nc, elements_per_block; shared real * nc * i_row
 * scratch:  (elements + elements_per_block) * 2 * nc*nc*nc
 * shared traffic: real * nc*nq / elements_per_block + real * (2 * (nc*nq*nq*nq + nc*nc*nq*nq + nc*nc*nc*nq))
 *
 * Thread (a, b) owns a column in t. Shared memory holds I only; the two arrays of an element
 * between the contractions are global. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  const int a = t.a, b = t.b;
  const real *ue = u + element_to_read(elements) * NODES_3D;
  real *s_I = shared, *from = scratch + (size_t)element_of_thread() * 2 * POINTS_3D;
  real *to = from + POINTS_3D;
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  BP_BARRIER();

  /* to[k][j][a], then from[k][b][a] */
  if (b < BP_NQ)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    to[k * POINTS_2D + b * BP_NC + a] =
        dot(BP_NQ, s_I + a * I_ROW, 1, ue + (k * BP_NQ + b) * BP_NQ, 1);
  BP_BARRIER();
  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    from[k * POINTS_2D + b * BP_NC + a] =
        dot(BP_NQ, s_I + b * I_ROW, 1, to + k * POINTS_2D + a, BP_NC);
  BP_BARRIER();

  /* The column: to[c][b][a] at the points, and back to from[k][b][a]. */
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c)
    to[c * POINTS_2D + b * BP_NC + a] =
        t.factors[c * POINTS_2D] * dot(BP_NQ, s_I + c * I_ROW, 1, from + b * BP_NC + a, POINTS_2D);
  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    from[k * POINTS_2D + b * BP_NC + a] = dot(BP_NC, s_I + k, I_ROW, to + b * BP_NC + a, POINTS_2D);
  BP_BARRIER();

  /* to[k][j][a], then v */
  if (b < BP_NQ)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    to[k * POINTS_2D + b * BP_NC + a] = dot(BP_NC, s_I + b, I_ROW, from + k * POINTS_2D + a, BP_NC);
  BP_BARRIER();
  if (t.stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    t.v[k * NODES_2D] = dot(BP_NC, s_I + a, I_ROW, to + k * POINTS_2D + b * BP_NC, 1);
}
