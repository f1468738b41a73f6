/* bp3.0/five-pass-direct -- as direct, in five passes: derivatives straight from the nodes by D I
 *
 * degrees:  1..6
 * precision: single
 * points:   1..5
 * factors:  ecijk
 * option:   elements_per_block 1..64 = 2 -- elements of a block
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor, as far as registers go
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   stagger_blocks 1..32 = 6 -- blocks of each multiprocessor that start staggered, as many as fit at once
 * option:   prefetch_constants 0..1 = 1 -- fetches the matrices into the constant caches before they are needed
 * option:   evict_first 0..32 = 16 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- a pencil each, in whole warps
 * launch:   apply; threads threads; shared real * elements_per_block * exchange
 * flops:    (nq / 2 * 2 + (nc + 1) / 2 * 2 * nq + nc) * (2 * nq*nq + 3 * nc*nq + 4 * nc*nc) + (nc / 2 * 4 + (nq + 1) / 2 * 4 * nc + nq) * (nq*nq + nc*nq + nc*nc) + (nc / 2 * 2 + (nq + 1) / 2 * 2 * nc + nq) * (nc*nq + 2 * nc*nc) + 17 * nc*nc*nc
 * shared traffic: real * (8 * nc*nq*nq + 12 * nc*nc*nq)
 *
 * Before anything else a thread issues the loads of its column of u and of the factors of its pencil along r. The
 * passes of bp30_five_passes.h have more products than those of direct, but fewer values pass between threads, and
 * there are half as many barriers. */
#include "lib/memory/batch_load.h"
#include "lib/operator/bp30_five_passes.h"
#include "lib/schedule/stagger.h"

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, exchange);
  const int first = blockIdx.x * ELEMENTS_PER_BLOCK,
            here = min(ELEMENTS_PER_BLOCK, elements - first);
  const int b = threadIdx.x / POINTS_2D, p = b < here ? threadIdx.x % POINTS_2D : (int)POINTS_2D;
  const five_pass_pointers at = five_pass_pointers_of(exchange, b, p);
  const size_t e = first + b;
  real x[BP_NQ], f[BP_NC][7];
  const l2_policies policies = l2_policies_of_block();

  stagger_start(STAGGER, STAGGER_BLOCKS);
  if (p < NODES_2D)
    batch_load_column(u + e * NODES_3D, p, policies, x);
  if (p < POINTS_2D)
    batch_load_factors(factors, e, p, policies, f);
  if (PREFETCH_CONSTANTS)
    pencil_prefetch_constants(THREADS, PENCIL_DI);
  five_pass_t(&at, x);
  BP_BARRIER();
  five_pass_s(&at);
  BP_BARRIER();
  five_pass_r(&at, f[0], 7, 1, lambda);
  BP_BARRIER();
  five_pass_back_s(&at);
  BP_BARRIER();
  five_pass_back_t(&at, x);
  if (p < NODES_2D)
    pencil_store_streaming(v + e * NODES_3D + p, NODES_2D, BP_NQ, x);
}
