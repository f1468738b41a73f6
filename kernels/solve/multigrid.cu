/* solve/multigrid -- conjugate gradients with a p-multigrid cycle in single precision
 *
 * operators: bp1, bp3, bp5
 * degrees: 1..15
 * points: 1..5
 * precision: single
 * operands: ids first starts copied f diagonal x residuals r p ap state counts stride inner unknowns schedule row transfer element_u element_v coarse_elements cycle_b cycle_x boxes beyond sparse_starts sparse_columns sparse_values sparse_in sparse_out
 * size: history = 1 -- directions p that are kept
 * size: nodes = nq*nq*nq -- of an element
 * size: side = nq + 2 -- of a box with a layer around
 * start: start; threads 256; blocks min((elements * nodes + 1023) / 1024, sms * 8)
 * launch: products; threads 256; blocks min((elements * nodes + 1023) / 1024, sms * 8)
 * launch: direction; threads 256; blocks min((elements * nodes + 1023) / 1024, sms * 8)
 * launch: scatter; threads 256; blocks min((elements * nodes + 1023) / 1024, sms * 8)
 * launch: gather; threads 256; blocks min((elements * nodes + 1023) / 1024, sms * 8)
 * launch: update; threads 256; blocks min((elements * nodes + 1023) / 1024, sms * 8)
 * launch: smooth; threads 256; blocks min((elements * nodes + 1023) / 1024, sms * 8)
 * launch: restrict_residual; threads 128; blocks elements; shared real * 2 * nodes
 * launch: prolong; threads 128; blocks elements; shared real * 2 * nodes
 * launch: schwarz; threads 64; blocks elements; shared real * (3 * side*(side + 4) + side*side*(side + 1))
 * launch: sparse; threads 256; blocks min((elements * nodes + 1023) / 1024, sms * 8)
 * finish: finish; threads 256; blocks 1
 *
 * What needs no operator: src/solve/multigrid_program.c puts these launches and an operator's element kernels in
 * order, once in double for the iterations, once in single for each level of the cycle. A thread has unknowns, or nodes
 * of elements; transfers have a block for each element, sparse matrices a warp for each row. */
#include "lib/solve/multigrid.h"
