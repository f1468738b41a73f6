/* bp3.0/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..11
 * requires: sm_90
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from a block's beginning to the next one's
 * option:   extra_blocks 0..32 = 0 -- so many more of each multiprocessor's blocks begin when others have ended
 * option:   dynamic 0..1 = 1 -- blocks take batches as they get on, instead of equal shares
 * option:   matrices_in_registers 0..1 = 0 -- threads hold the matrices in registers, instead of constant memory
 * option:   prefetch_constants 0..1 = 1 -- the matrices are fetched from constant memory before they are needed, unless held
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors that leave L2 first; beyond 16 also of u
 * launch:   apply; threads nc * nc * elements_per_block; blocks (elements + elements_per_block - 1) / elements_per_block < sms * (blocks_per_sm + extra_blocks) ? (elements + elements_per_block - 1) / elements_per_block : sms * (blocks_per_sm + extra_blocks); shared 8 * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * 7 * nc*nc*nc + 31) / 16 * 16 + elements_per_block * ((nc % 2 == 1 && nq < 9 ? same_bank(nc * same_bank(nc*nc, 1), nc*nc) : 0) + (nc % 2 == 1 ? same_bank(nc * same_bank(nc*nc, nc), nc*nc) : same_bank(nc * same_bank(nc*nc, 1), nc*nc)) + max(same_bank(nc * (nq % 2 == 0 ? nq*nq : same_bank(nq*nq, nq)), (nq % 2 == 0 ? nc : nq) * nq), same_bank(nc * (nc % 2 == 1 ? nc*nc : same_bank(nc*nc, 1)), nc*nc)) + max(same_bank(nc*nc*nq, nc*nq), same_bank(nc * same_bank(nc*nc, nc), nc*nc))))
 *
 * The passes are those of pencil_bp30.h. A block knows its next batch while it computes one, so at the end some have
 * two when others have none; `late` blocks, which begin when those have ended, are left with fresh ones. */
#if MATRICES_IN_REGISTERS /* the matrices in memory, from where pencil_load_matrices brings them */
#define BP_OPERATOR BP_GLOBAL
#endif
#include "lib/schedule/stagger.h"
#include "lib/schedule/tile_scheduler.h"
#define STAGES 1
#include "lib/pipeline/pipeline_batches.h"

#include "lib/operator/bp30_pencils.h"

BP_KERNEL_BOUNDED(apply, BATCH *PLANE, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(batch_barriers, full, [1]);
  BP_SHARED(int, claimed, [1]);
  const int batches = (elements + BATCH - 1) / BATCH, b = threadIdx.x / PLANE;
  const pencil_pointers at = pencil_pointers_of(shared + STAGE, b, threadIdx.x % PLANE);
  pencil_matrices matrices;
  const pencil_matrices *const m = MATRICES_IN_REGISTERS ? pencil_load_matrices(&matrices) : IN_CONSTANTS;

  stagger_start(BLOCKS_PER_SM);
  batches_start_u(shared, u, elements, full);
  int number = DYNAMIC && threadIdx.x == 0 ? scheduler_claim(batches, 0) : 0;
  batches_start_factors(shared, factors, elements, full);
  if (PREFETCH_CONSTANTS && !MATRICES_IN_REGISTERS)
    pencil_prefetch_constants(BATCH * PLANE, PENCIL_D);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    double x[BP_NQ], ut[BP_NC], wu[BP_NC];
    const size_t first = (size_t)batch * BATCH, e = first + b;

    bp_mbarrier_wait(&full->u_full[0], parity);
    if (at.p < COLUMNS)
      pencil_load(shared + bulk_offset(first * NODES) + b * NODES + at.p, COLUMNS, BP_NQ, x);
    to_points_t(m, &at, x);
    if (DYNAMIC && threadIdx.x == 0)
      scheduler_next(&number, batches, claimed);
    BP_BARRIER();
    const int next = DYNAMIC ? *claimed : batch_after(batch);
    batch_next_u(shared, u, next, elements, &full->u_full[0]);
    to_points_s(m, &at);
    BP_BARRIER();
    to_points_r(m, &at);
    BP_BARRIER();
    derivative_s(m, &at);
    if (SPLIT)
      BP_BARRIER();
    derivative_t(m, &at, wu, ut);
    if (!SPLIT)
      BP_BARRIER();
    bp_mbarrier_wait(&full->factors_full[0], parity);
    pencil_metric(shared + U_SLOT + bulk_offset(first * FACTORS) + b * FACTORS + at.p, lambda,
                  at.rt_t, RT_K, at.st_t, ST_K, ut, wu);
    transposed_t(m, &at, wu, ut);
    BP_BARRIER();
    batch_next_factors(shared, factors, next, elements, &full->factors_full[0]);
    transposed_s(m, &at);
    BP_BARRIER();
    to_nodes_r(m, &at);
    BP_BARRIER();
    to_nodes_s(m, &at);
    BP_BARRIER();
    to_nodes_t(m, &at, x);
    if (at.p < COLUMNS && e < elements)
      pencil_store_streaming(v + e * NODES + at.p, COLUMNS, BP_NQ, x);
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
