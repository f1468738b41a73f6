/* bp3.5/direct -- u and the factors straight into registers, all loads issued at once; pencils in registers
 *
 * degrees:  1..8
 * precision: mixed single
 * option:   elements_per_block 1..64 = 2 -- elements of a block
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor, as far as registers go
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   stagger_blocks 1..32 = 6 -- blocks of each multiprocessor that start staggered, as many as fit at once
 * option:   prefetch_constants 0..1 = 1 -- fetches the matrices into the constant caches before they are needed
 * option:   evict_first 0..32 = 16 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- a pencil each, in whole warps
 * launch:   apply; threads threads; shared real * elements_per_block * exchange
 * flops:    3 * nq*nq * (2 * nq*nq + 5 * nq + nq % 2 * 2 * (nq - 1)) + 19 * nq*nq*nq
 * shared traffic: real * 12 * nq*nq*nq
 *
 * No bulk copies, and no shared memory for u and the factors. Before anything else a thread issues the loads of its
 * pencil of u in each of the three directions, which come from DRAM once, and of the factors of its column. Many
 * small blocks share a multiprocessor. bp35_pencils.h has the rest. */
#include "lib/memory/batch_load.h"
#include "lib/operator/bp35_pencils.h"
#include "lib/schedule/stagger.h"

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, exchange);
  const int first = blockIdx.x * ELEMENTS_PER_BLOCK, b = threadIdx.x / NODES_2D,
            column = threadIdx.x % NODES_2D;
  const bool is_here = b < min(ELEMENTS_PER_BLOCK, elements - first);
  const pencil_pointers at = pencil_pointers_of(exchange, b, column);
  const size_t e = first + b;
  real f[BP_NQ][7], wu[BP_NQ], ut[BP_NQ];
  const l2_policies policies = l2_policies_of_block();

  stagger_start(STAGGER, STAGGER_BLOCKS);
  if (is_here) {
    const real *const ue = u + e * NODES_3D;
    real x[BP_NQ], y[BP_NQ], z[BP_NQ];
    BP_UNROLL
    for (int n = 0; n < BP_NQ; ++n) {
      wu[n] = batch_load_u(ue + n * NODES_2D + column, policies);
      x[n] = batch_load_u(
          ue + R_K(ROWS_BY_J, column) * NODES_2D + R_J(ROWS_BY_J, column) * BP_NQ + n, policies);
      y[n] = batch_load_u(ue + column / BP_NQ * NODES_2D + n * BP_NQ + column % BP_NQ, policies);
    }
    batch_load_factors(factors, e, column, policies, f);
    if (PREFETCH_CONSTANTS)
      pencil_prefetch_constants(ELEMENTS_PER_BLOCK * NODES_2D, PENCIL_D);
    pencil_differentiate(IN_CONSTANTS, wu, ut);
    pencil_differentiate(IN_CONSTANTS, x, z);
    pencil_store(at.rt_r, 1, BP_NQ, z);
    pencil_differentiate(IN_CONSTANTS, y, z);
    pencil_store(at.st_s, BP_NQ, BP_NQ, z);
  }
  BP_BARRIER();
  if (is_here) {
    BP_UNROLL
    for (int k = 0; k < BP_NQ; ++k)
      flux(f[k], 1, lambda, at.rt_t + k * RT_K(ROWS_BY_J), at.st_t + k * ST_K, &ut[k], &wu[k]);
  }
  BP_BARRIER();
  if (is_here)
    transposed_r_and_s(IN_CONSTANTS, &at);
  BP_BARRIER();
  if (is_here)
    column_out(IN_CONSTANTS, &at, wu, ut, v + e * NODES_3D + column);
}
