/* bp5/fixed-counted -- bp5/unfused, but a fixed unknown, which has a negative number, is taken for number 0
 *
 * degrees:  1..3
 * scratch:  2 * fields * elements * nq*nq*nq
 * operands: factors scratch ids starts copied f diagonal x residuals r p ap state counts stride unknowns inner
 * option:   correct 0..1 = 0 -- without the bug
 * size:     history = 1 -- vectors of p
 * size:     surface_atomic = 0 -- no sums by atomic operations
 * bytes:    8 * jacobi * unknowns + 4 * (unknowns - inner) + fields * (104 * unknowns + 32 * elements * nq*nq*nq) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   directions; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   take; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared 8 * (factors_slot + vectors_slot + elements_per_block * ((cubes - 2) * cube + buffer_rt + buffer_st))
 * launch:   gather; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   product; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   finish; threads 256; blocks 1 */
#include "lib/solve/unfused.h"

#include "lib/solve/apply_bp5.h"

BP_KERNEL_BOUNDED(take, VECTOR_THREADS, 0)
{
  GRID_STRIDE(n, (long long)elements * NODES_3D)
  {
    const int e = (int)(n / NODES_3D), m = (int)(n % NODES_3D), i = m % BP_NQ,
              j = m / BP_NQ % BP_NQ, k = m / NODES_2D;
    const bool is_inner = i > 0 && i < BP_N && j > 0 && j < BP_N && k > 0 && k < BP_N;
    const int id = is_inner
                       ? e * ELEMENT_INNER + ((k - 1) * EDGE_INNER + j - 1) * EDGE_INNER + i - 1
                       : ids[(size_t)e * ELEMENT_SURFACE + surface_index(i, j, k)];
    for (int f = 0; f < BP_FIELDS; ++f)
      scratch[f * (size_t)elements * NODES_3D + n] =
          id >= 0 ? p[f * stride + id] : CORRECT ? 0 : p[f * stride];
  }
}
