/* bp3.5/slabs -- slice by slice through two shared slabs, the t component in global scratch
 *
 * degrees:  1..15
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nq, nq, elements_per_block; shared 8 * (nq*(nq + (pad && nq % 8 == 0)) + elements_per_block * 2 * nq*(nq + (pad && nq % 8 == 0)))
 * scratch:  (elements + elements_per_block) * nq*nq*nq
 * shared traffic: 8 * nq*nq / elements_per_block + 8 * (8 * nq*nq*nq*nq + 2 * nq*nq*nq)
 *
 * Thread (a, b) owns a column in t. For each slice: gradient from u in global memory, metric, the r and
 * s components to a slab each, their transposed derivatives. The t component goes to global scratch
 * and its transposed derivatives come at the end. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_D, shared, BP_ROW(BP_NQ));
  BP_ROWS_AT(s_r, shared + (BP_NQ + threadIdx.z * 2 * BP_NQ) * BP_ROW(BP_NQ), BP_ROW(BP_NQ));
  double(*s_s)[BP_ROW(BP_NQ)] = s_r + BP_NQ;
  const int a = threadIdx.x, b = threadIdx.y, slab = BP_NQ * BP_NQ;
  const size_t e = element_to_read(elements);
  const bool stores = element_of_thread() < elements;
  const double *ue = u + e * BP_NODES, *ge = factors + e * 7 * BP_NODES + b * BP_NQ + a;
  double *flux_t = scratch + (size_t)element_of_thread() * BP_NODES + b * BP_NQ + a;
  double *ve = v + e * BP_NODES + b * BP_NQ + a;
  load_matrix(*s_D, BP_ROW(BP_NQ), D, BP_NQ, BP_NQ);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k) {
    double gradient[3] = {dot(BP_NQ, s_D[a], 1, ue + k * slab + b * BP_NQ, 1),
                          dot(BP_NQ, s_D[b], 1, ue + k * slab + a, BP_NQ),
                          dot(BP_NQ, s_D[k], 1, ue + b * BP_NQ + a, slab)};
    apply_metric(ge + k * slab, BP_NODES, gradient);
    s_r[b][a] = gradient[0];
    s_s[b][a] = gradient[1];
    flux_t[k * slab] = gradient[2];
    BP_BARRIER();
    if (stores)
      ve[k * slab] = lambda * ge[6 * BP_NODES + k * slab] * ue[k * slab + b * BP_NQ + a] +
                     dot(BP_NQ, &s_D[0][a], BP_ROW(BP_NQ), s_r[b], 1) +
                     dot(BP_NQ, &s_D[0][b], BP_ROW(BP_NQ), &s_s[0][a], BP_ROW(BP_NQ));
    BP_BARRIER();
  }
  if (stores)
    BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k)
    ve[k * slab] += dot(BP_NQ, &s_D[0][k], BP_ROW(BP_NQ), flux_t, slab);
}
