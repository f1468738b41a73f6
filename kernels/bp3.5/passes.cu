/* bp3.5/passes -- one direction after another through a shared cube, the rest in global memory
 *
 * degrees:  1..15
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 0 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nq, nq, elements_per_block; shared 8 * (nq*(nq + (pad && nq % 8 == 0)) + elements_per_block * nq*nq*(nq + (pad && nq % 8 == 0)))
 * scratch:  (elements + elements_per_block) * 2 * nq*nq*nq
 * shared traffic: 8 * nq*nq / elements_per_block + 8 * (9 * nq*nq*nq*nq + 3 * nq*nq*nq)
 *
 * Thread (a, b) owns a column in t. The gradient of the whole element is taken from u in global memory
 * and multiplied by the metric; its three components then take turns in the cube, where their
 * transposed derivatives are added to v. Two of them wait in global scratch. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_D, shared, BP_ROW(BP_NQ));
  BP_CUBE_AT(cube, shared + BP_NQ * BP_ROW(BP_NQ) + threadIdx.z * BP_NQ * BP_NQ * BP_ROW(BP_NQ),
             BP_NQ, BP_ROW(BP_NQ));
  const int a = threadIdx.x, b = threadIdx.y, slab = BP_NQ * BP_NQ;
  const size_t e = element_to_read(elements);
  const bool stores = element_of_thread() < elements;
  const double *ue = u + e * BP_NODES, *ge = factors + e * 7 * BP_NODES + b * BP_NQ + a;
  double *flux_s = scratch + (size_t)element_of_thread() * 2 * BP_NODES + b * BP_NQ + a;
  double *flux_t = flux_s + BP_NODES;
  double *ve = v + e * BP_NODES + b * BP_NQ + a;
  load_matrix(*s_D, BP_ROW(BP_NQ), D, BP_NQ, BP_NQ);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k) {
    double gradient[3] = {dot(BP_NQ, s_D[a], 1, ue + k * slab + b * BP_NQ, 1),
                          dot(BP_NQ, s_D[b], 1, ue + k * slab + a, BP_NQ),
                          dot(BP_NQ, s_D[k], 1, ue + b * BP_NQ + a, slab)};
    apply_metric(ge + k * slab, BP_NODES, gradient);
    cube[k][b][a] = gradient[0];
    flux_s[k * slab] = gradient[1];
    flux_t[k * slab] = gradient[2];
  }
  BP_BARRIER();

  if (stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    ve[k * slab] = lambda * ge[6 * BP_NODES + k * slab] * ue[k * slab + b * BP_NQ + a] +
                   dot(BP_NQ, &s_D[0][a], BP_ROW(BP_NQ), cube[k][b], 1);
  BP_BARRIER();
  move(BP_NQ, &cube[0][b][a], BP_NQ * BP_ROW(BP_NQ), flux_s, slab);
  BP_BARRIER();
  if (stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    ve[k * slab] += dot(BP_NQ, &s_D[0][b], BP_ROW(BP_NQ), &cube[k][0][a], BP_ROW(BP_NQ));
  BP_BARRIER();
  move(BP_NQ, &cube[0][b][a], BP_NQ * BP_ROW(BP_NQ), flux_t, slab);
  if (stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    ve[k * slab] += dot(BP_NQ, &s_D[0][k], BP_ROW(BP_NQ), &cube[0][b][a], BP_NQ * BP_ROW(BP_NQ));
}
