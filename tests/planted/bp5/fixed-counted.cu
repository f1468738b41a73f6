/* bp5/fixed-counted -- bp5/unfused, but a fixed unknown, which has a negative number, is taken for number 0
 *
 * degrees:  1..3
 * factors:  ekcji
 * scratch:  2 * fields * elements * nq*nq*nq
 * operands: factors scratch ids starts copied f diagonal x residuals r p ap state counts stride unknowns inner
 * option:   correct 0..1 = 0 -- without the bug
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks of apply that share a multiprocessor
 * option:   cubes 2..3 = 3 -- cubes per element in shared memory
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     scheme = 0 -- unfused
 * size:     history = 1 -- vectors of p
 * size:     kept = 1 -- directions
 * size:     surface_atomic = 0 -- no sums by atomic operations
 * size:     threads = (elements_per_block * nq*nq + 31) / 32 * 32 -- of a block
 * size:     cube_k = nq % 2 == 1 ? nq*nq : same_bank(nq*nq, 1) -- doubles from plane to plane of a cube
 * size:     cube = buffer_rt -- from element to element
 * size:     vectors_slot = slot(elements_per_block * nq*nq*nq) -- p of an item
 * bytes:    8 * jacobi * unknowns + 4 * (unknowns - inner) + fields * (104 * unknowns + 32 * elements * nq*nq*nq) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   directions; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   take; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared 8 * (factors_slot + vectors_slot + elements_per_block * ((cubes - 2) * cube + buffer_rt + buffer_st))
 * launch:   gather; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   product; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   finish; threads 256; blocks 1
 */
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
