/* bp3.0/direct -- u and the factors straight into registers, all asked for at once; pencils in registers
 *
 * degrees:  1..6
 * option:   elements_per_block 1..64 = 2 -- elements of a block
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor, as far as registers go
 * option:   stagger 0..127 = 0 -- clocks from a block's beginning to the next one's
 * option:   stagger_blocks 1..32 = 6 -- of each multiprocessor's blocks, as many as fit: they begin apart
 * option:   prefetch_constants 0..1 = 1 -- the matrices are fetched from constant memory before they are needed
 * option:   evict_first 0..32 = 16 -- sixteenths of the factors that leave L2 first; beyond 16 also of u
 * launch:   apply; threads (elements_per_block * nc*nc + 31) / 32 * 32; shared 8 * elements_per_block * ((nc % 2 == 1 && nq < 9 ? same_bank(nc * same_bank(nc*nc, 1), nc*nc) : 0) + (nc % 2 == 1 ? same_bank(nc * same_bank(nc*nc, nc), nc*nc) : same_bank(nc * same_bank(nc*nc, 1), nc*nc)) + max(same_bank(nc * (nq % 2 == 0 ? nq*nq : same_bank(nq*nq, nq)), (nq % 2 == 0 ? nc : nq) * nq), same_bank(nc * (nc % 2 == 1 ? nc*nc : same_bank(nc*nc, 1)), nc*nc)) + max(same_bank(nc*nc*nq, nc*nq), same_bank(nc * same_bank(nc*nc, nc), nc*nc)))
 * shared traffic: 8 * ((15 + (nc % 2 == 1 && nq < 9)) * nc*nc*nc + 4 * nc*nq * (nc + nq))
 *
 * No bulk copies and no room for u and factors in shared memory: a thread asks for its column of u and for the
 * factors of its column of points before anything else, and many small blocks share a multiprocessor. The passes are
 * those of pencil_bp30.h. */
#include "lib/schedule/stagger.h"
#include "lib/memory/batch_load.h"

#include "lib/operator/bp30_pencils.h"

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, slots);
  const int first = blockIdx.x * BATCH, here = min(BATCH, elements - first);
  const int b = threadIdx.x / PLANE, p = b < here ? threadIdx.x % PLANE : (int)PLANE;
  const pencil_pointers at = pencil_pointers_of(slots, b, p);
  const size_t e = first + b;
  double x[BP_NQ], f[BP_NC][7], wu[BP_NC], ut[BP_NC];
  const l2_policies marks = l2_policies_of_block();

  stagger_start(STAGGER_BLOCKS);
  if (p < COLUMNS)
    direct_load_column(u + e * NODES, p, marks, x);
  if (p < PLANE)
    direct_load_factors(factors, e, p, marks, f);
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
  if (p < PLANE) {
    BP_UNROLL
    for (int k = 0; k < BP_NC; ++k)
      flux(f[k], 1, lambda, at.rt_t + k * RT_K, at.st_t + k * ST_K, &ut[k], &wu[k]);
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
  if (p < COLUMNS)
    pencil_store_streaming(v + e * NODES + p, COLUMNS, BP_NQ, x);
}
