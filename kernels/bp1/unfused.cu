/* bp1/unfused -- conjugate gradients, a kernel for each step
 *
 * degrees:  1..15
 * points:   1..5
 * requires: sm_90
 * factors:  ecijk
 * scratch:  2 * fields * elements * nq*nq*nq
 * operands: factors scratch ids starts copied f diagonal x residuals r p ap state counts stride unknowns inner
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks of apply that share a multiprocessor
 * option:   evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size:     scheme = 0 -- unfused
 * size:     history = 1 -- vectors of p
 * size:     kept = 1 -- directions
 * size:     surface_atomic = 0 -- no sums by atomic operations
 * size:     threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- of a block
 * size:     cube_k = nq*nq -- doubles from plane to plane of a cube
 * size:     cube = nq*nq*nq -- from element to element
 * size:     vectors_slot = slot(elements_per_block * nq*nq*nq) -- p of an item
 * bytes:    8 * jacobi * unknowns + 4 * (unknowns - inner) + fields * (104 * unknowns + 32 * elements * nq*nq*nq) + elements * (8 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   directions; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   scatter; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   apply; threads threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared 8 * (factors_slot + vectors_slot + elements_per_block * (buffer_ts + max(buffer_sr_ecijk, cube)))
 * launch:   gather; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   product; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * finish:   finish; threads 256; blocks 1
 *
 * As most codes do it, six kernels an iteration: p = r + beta p; scatter, p as elements have it; v = A p there; gather,
 * the sum over copies in a fixed order; p . v; x, r and r . r. Scalars stay on the device. The operator is that of
 * two-kernel, so the difference is the price of separate passes. apply_bp1.h tells how threads share the work. */
#include "lib/solve/unfused.h"

#include "lib/solve/apply_bp1.h"
