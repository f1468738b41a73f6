/* bp3.0/direct -- u and the factors straight into registers, all loads issued at once; pencils in registers
 *
 * degrees:  1..6
 * precision: mixed single
 * points:   1..5
 * option:   elements_per_block 1..64 = 2 -- elements of a block
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor, as far as registers go
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   stagger_blocks 1..32 = 6 -- blocks of each multiprocessor that start staggered, as many as fit at once
 * option:   prefetch_constants 0..1 = 1 -- fetches the matrices into the constant caches before they are needed
 * option:   evict_first 0..32 = 16 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- a pencil each, in whole warps
 * launch:   apply; threads threads; shared real * elements_per_block * exchange
 * shared traffic: real * ((15 + (buffer_rs > 0)) * nc*nc*nc + 4 * nc*nq * (nc + nq))
 *
 * No bulk copies, and no shared memory for u and the factors. Before anything else a thread issues the loads of its
 * column of u and of the factors of its column of points. Many small blocks share a multiprocessor. bp30_pencils.h
 * has the passes. */
#include "lib/memory/batch_load.h"
#include "lib/operator/bp30_pencils.h"
#include "lib/schedule/stagger.h"

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, exchange);
  const int first = blockIdx.x * ELEMENTS_PER_BLOCK,
            here = min(ELEMENTS_PER_BLOCK, elements - first);
  const int b = threadIdx.x / POINTS_2D, p = b < here ? threadIdx.x % POINTS_2D : (int)POINTS_2D;
  const pencil_pointers at = pencil_pointers_of(exchange, b, p);
  const size_t e = first + b;
  real x[BP_NQ], f[BP_NC][7], wu[BP_NC], ut[BP_NC];
  const l2_policies policies = l2_policies_of_block();

  stagger_start(STAGGER, STAGGER_BLOCKS);
  if (p < NODES_2D)
    batch_load_column(u + e * NODES_3D, p, policies, x);
  if (p < POINTS_2D)
    batch_load_factors(factors, e, p, policies, f);
  if (PREFETCH_CONSTANTS)
    pencil_prefetch_constants(THREADS, PENCIL_D);
  to_points_t(IN_CONSTANTS, &at, x);
  BP_BARRIER();
  to_points_s(IN_CONSTANTS, &at);
  BP_BARRIER();
  to_points_r(IN_CONSTANTS, &at);
  BP_BARRIER();
  derivative_s(IN_CONSTANTS, &at);
  if (SPLIT)
    BP_BARRIER();
  derivative_t(IN_CONSTANTS, &at, wu, ut);
  if (!SPLIT)
    BP_BARRIER();
  if (p < POINTS_2D) {
    BP_UNROLL
    for (int k = 0; k < BP_NC; ++k)
      flux(f[k], 1, lambda, at.rt_t + k * RT_K(ROWS_BY_J), at.st_t + k * ST_K, &ut[k], &wu[k]);
  }
  transposed_t(IN_CONSTANTS, &at, wu, ut);
  BP_BARRIER();
  transposed_s(IN_CONSTANTS, &at);
  BP_BARRIER();
  to_nodes_r(IN_CONSTANTS, &at);
  BP_BARRIER();
  to_nodes_s(IN_CONSTANTS, &at);
  BP_BARRIER();
  to_nodes_t(IN_CONSTANTS, &at, x);
  if (p < NODES_2D)
    pencil_store_streaming(v + e * NODES_3D + p, NODES_2D, BP_NQ, x);
}
