/* solve/level -- A p of unknowns, for the levels of p-multigrid
 *
 * operators: bp1, bp3, bp5
 * scratch:  in_l2 * sms * blocks_per_sm * exchanged
 * operands: factors scratch ids p ap copies stride
 * option:   staged 0..1 = 1 -- factors come into shared memory, or are read where they lie
 * option:   in_l2 0..1 = 0 -- what passes between pencils lies in L2 instead of shared memory, for GPUs that have little
 * size:     atomic = 0 -- no sums by atomic operations
 * launch:   apply; threads block_threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared real * apply_shared
 *
 * A p inside elements to ap, on surfaces to copies: multigrid.cu sums these and makes the vectors of a level. The
 * operator is that of two-kernel, whose header tells how threads share the work. */
#include "lib/solve/level.h"

#include "lib/solve/apply_OPERATOR.h"
