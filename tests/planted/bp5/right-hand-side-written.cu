/* bp5/right-hand-side-written -- bp5/unfused, which leaves 0 in the right-hand side
 *
 * degrees:  1..3
 * scratch:  2 * fields * elements * nq*nq*nq
 * operands: factors scratch ids starts copied f diagonal x residuals r p ap state counts stride unknowns inner
 * option:   correct 0..1 = 0 -- without the bug
 * size:     history = 1 -- vectors of p
 * size:     surface_atomic = 0 -- no sums by atomic operations
 * bytes:    8 * jacobi * unknowns + 4 * (unknowns - inner) + fields * (104 * unknowns + 32 * elements * nq*nq*nq) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    begin; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   directions; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   scatter; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared 8 * (factors_slot + vectors_slot + elements_per_block * ((cubes - 2) * cube + buffer_rt + buffer_st))
 * launch:   gather; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   product; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   finish; threads 256; blocks 1 */
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
