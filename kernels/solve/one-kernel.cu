/* solve/one-kernel -- conjugate gradients in one kernel an iteration, for small sizes
 *
 * operators: bp1, bp3 1..11, bp5 1..13
 * precision: double
 * operands: factors ids first f diagonal x residuals r p ap state counts stride
 * option:   history 5..16 = 12 -- vectors of directions p and buffers: x is updated every history - 4 iterations
 * size:     atomic = 1 -- surface nodes of v are added by atomic operations
 * bytes:    8 * jacobi * unknowns + fields * (48 * unknowns + 16 * unknowns / (kept - 1) + 8 * inner + 24 * (unknowns - inner)) + elements * (4 * surface_nodes + 8 * element_factors)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads block_threads; blocks min(min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm), 2048); shared real * apply_shared
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   residual; threads 256; blocks 1
 *
 * One kernel an iteration, where launches are what takes the time: r -= alpha v, p = r + beta p, v = A p, x now and then.
 * Surface nodes are added by atomic operations, whose results tell v . v; they depend on the order. No block waits for
 * another one. merged.h tells how, the operator's header how threads share the work. */
#include "lib/solve/one_kernel.h"

#include "lib/solve/apply_OPERATOR.h"
