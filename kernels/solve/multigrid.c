/* solve/multigrid -- conjugate gradients with a p-multigrid cycle in single precision
 *
 * operators: bp1, bp3, bp5
 * degrees: 1..15
 * points: 1..5
 * geometry: stored affine trilinear quadratic
 * precision: single
 * operands: halo ids first starts copied f diagonal x residuals r p ap state counts stride inner schedule row transfer element_u element_v coarse_elements cycle_b cycle_x boxes box_nodes sparse_starts sparse_columns sparse_values sparse_in sparse_out
 * size: history = 1 -- directions p that are kept
 * size: exact_sums = 1 -- that no order changes
 * start: start
 * launch: products
 * launch: direction
 * launch: gather; then exchange
 * launch: update
 * launch: smooth
 * launch: restrict_residual
 * launch: prolong
 * launch: schwarz
 * launch: sparse
 * finish: finish
 *
 * What needs no operator: src/solve/multigrid_program.c puts these launches and an operator's element kernels in order, once
 * in double for the iterations, once in single for each level of the cycle. */
#include "lib/solve/host_multigrid.h"
