/* bp5/right-hand-side-written -- bp5/unfused, which leaves 0 in the right-hand side
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
 * start:    begin; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   directions; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   scatter; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared 8 * (factors_slot + vectors_slot + elements_per_block * ((cubes - 2) * cube + buffer_rt + buffer_st))
 * launch:   gather; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   product; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   finish; threads 256; blocks 1
 */
#include "lib/solve/unfused.h"

#include "lib/solve/apply_bp5.h"

BP_KERNEL_BOUNDED(begin, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  start_vectors(&arrays, buffer);
  if (blockIdx.x == 0 && threadIdx.x == 0 && !CORRECT)
    ((double *)(size_t)f)[0] = 0;
}
