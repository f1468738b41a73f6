/* bp3.5/nodes-sums -- a thread per node, factors and sums in registers, u and the fluxes in global memory
 *
 * degrees:  1..9
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nq, nq*nq, elements_per_block; shared 8 * (nq*(nq + (pad && nq % 8 == 0)))
 * scratch:  (elements + elements_per_block) * 3 * nq*nq*nq
 * shared traffic: 8 * nq*nq / elements_per_block + 8 * (6 * nq*nq*nq*nq)
 *
 * Thread (a, b, c) owns a node. Global scratch holds the three components between the halves. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_D, shared, BP_ROW(BP_NQ));
  const int a = threadIdx.x, b = threadIdx.y % BP_NQ, c = threadIdx.y / BP_NQ;
  const int slab = BP_NQ * BP_NQ, node = c * slab + b * BP_NQ + a;
  const size_t e = element_to_read(elements);
  const double *ue = u + e * BP_NODES, *ge = factors + e * 7 * BP_NODES + node;
  double *flux = scratch + (size_t)element_of_thread() * 3 * BP_NODES, *flux_r = flux + node;
  double *flux_s = flux_r + BP_NODES, *flux_t = flux_s + BP_NODES;
  double g[7];
  move(7, g, 1, ge, BP_NODES);
  load_matrix(*s_D, BP_ROW(BP_NQ), D, BP_NQ, BP_NQ);
  BP_BARRIER();

  double gradient[3] = {dot(BP_NQ, s_D[a], 1, ue + c * slab + b * BP_NQ, 1),
                        dot(BP_NQ, s_D[b], 1, ue + c * slab + a, BP_NQ),
                        dot(BP_NQ, s_D[c], 1, ue + b * BP_NQ + a, slab)};
  apply_metric(g, 1, gradient);
  *flux_r = gradient[0];
  *flux_s = gradient[1];
  *flux_t = gradient[2];
  BP_BARRIER();
  const double sum =
      lambda * g[6] * ue[node] +
      dot(BP_NQ, &s_D[0][a], BP_ROW(BP_NQ), flux + c * slab + b * BP_NQ, 1) +
      dot(BP_NQ, &s_D[0][b], BP_ROW(BP_NQ), flux + BP_NODES + c * slab + a, BP_NQ) +
      dot(BP_NQ, &s_D[0][c], BP_ROW(BP_NQ), flux + 2 * BP_NODES + b * BP_NQ + a, slab);
  if (element_of_thread() < elements)
    v[e * BP_NODES + node] = sum;
}
