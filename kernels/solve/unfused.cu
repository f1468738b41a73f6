/* solve/unfused -- conjugate gradients, a kernel for each step
 *
 * operators: bp1, bp3, bp5
 * scratch:  2 * fields * elements * nq*nq*nq + in_l2 * sms * blocks_per_sm * exchanged
 * operands: factors scratch ids starts copied f diagonal x residuals r p ap state counts stride unknowns inner
 * option:   staged 0..1 = 1 -- factors and p come into shared memory, or are read where they lie
 * option:   in_l2 0..1 = 0 -- what passes between pencils lies in L2 instead of shared memory, for GPUs that have little
 * size:     atomic = 0 -- no sums by atomic operations
 * bytes:    real * (jacobi * unknowns + fields * (13 * unknowns + 4 * elements * nq*nq*nq)) + 4 * (unknowns - inner) + elements * (8 * surface_nodes + stored * element_factors)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   directions; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   scatter; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads block_threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared real * apply_shared
 * launch:   gather; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   product; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   finish; threads 256; blocks 1
 *
 * As most codes do it, six kernels an iteration: p = r + beta p; scatter, p as elements have it; v = A p there; gather,
 * the sum over copies in a fixed order; p . v; x, r and r . r. Scalars stay on the device. The operator is that of
 * two-kernel, so the difference is the price of separate passes. Its header tells how threads share
 * the work. */
#include "lib/solve/unfused.h"

#include "lib/solve/apply_OPERATOR.h"
