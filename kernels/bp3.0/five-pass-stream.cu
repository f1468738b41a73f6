/* bp3.0/five-pass-stream -- as stream, in five passes: derivatives straight from the nodes by D I
 *
 * degrees:  1..9
 * requires: sm_90
 * factors:  ecijk
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from a block's beginning to the next one's
 * option:   extra_blocks 0..32 = 0 -- so many more of each multiprocessor's blocks begin when others have ended
 * option:   dynamic 0..1 = 1 -- blocks take batches as they get on, instead of equal shares
 * option:   prefetch_constants 0..1 = 1 -- the matrices are fetched from constant memory before they are needed
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors that leave L2 first; beyond 16 also of u
 * launch:   apply; threads nc * nc * elements_per_block; blocks (elements + elements_per_block - 1) / elements_per_block < sms * (blocks_per_sm + extra_blocks) ? (elements + elements_per_block - 1) / elements_per_block : sms * (blocks_per_sm + extra_blocks); shared 8 * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * 7 * nc*nc*nc + 31) / 16 * 16 + elements_per_block * (2 * same_bank(nc * (nq % 2 == 0 ? nq*nq : same_bank(nq*nq, nq)), (nq % 2 == 0 ? nc : nq) * nq) + 3 * same_bank(nc * (nq % 2 == 0 ? same_bank(nc*nq, nc) : nc*nq), nc*nq)))
 * flops:    (nq / 2 * 2 + (nc + 1) / 2 * 2 * nq + nc) * (2 * nq*nq + 3 * nc*nq + 4 * nc*nc) + (nc / 2 * 4 + (nq + 1) / 2 * 4 * nc + nq) * (nq*nq + nc*nq + nc*nc) + (nc / 2 * 2 + (nq + 1) / 2 * 2 * nc + nq) * (nc*nq + 2 * nc*nc) + 17 * nc*nc*nc
 * shared traffic: 8 * (8 * nc*nq*nq + 12 * nc*nc*nq + 2 * (nq*nq*nq + 7 * nc*nc*nc))
 *
 * Persistent blocks; batches of whole elements come by bulk copies. The passes are those of pencil_few.h: more products
 * than stream, fewer values that cross threads, and half of the barriers. For `late` see stream.cu. */
#include "lib/schedule/stagger.h"
#include "lib/schedule/tile_scheduler.h"
#define STAGES 1
#include "lib/pipeline/pipeline_batches.h"

#include "lib/operator/bp30_five_passes.h"

BP_KERNEL_BOUNDED(apply, BATCH *PLANE, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(batch_barriers, full, [1]);
  BP_SHARED(int, claimed, [1]);
  const int batches = (elements + BATCH - 1) / BATCH, b = threadIdx.x / PLANE;
  const five_pass_pointers at = five_pass_pointers_of(shared + STAGE, b, threadIdx.x % PLANE);

  stagger_start(BLOCKS_PER_SM);
  batches_start_u(shared, u, elements, full);
  int number = DYNAMIC && threadIdx.x == 0 ? scheduler_claim(batches, 0) : 0;
  batches_start_factors(shared, factors, elements, full);
  if (PREFETCH_CONSTANTS)
    pencil_prefetch_constants(BATCH * PLANE, PENCIL_DI);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    double x[BP_NQ];
    const size_t first = (size_t)batch * BATCH, e = first + b;

    bp_mbarrier_wait(&full->u_full[0], parity);
    if (at.p < COLUMNS)
      pencil_load(shared + bulk_offset(first * NODES) + b * NODES + at.p, COLUMNS, BP_NQ, x);
    five_pass_t(&at, x);
    if (DYNAMIC && threadIdx.x == 0)
      scheduler_next(&number, batches, claimed);
    BP_BARRIER();
    const int next = DYNAMIC ? *claimed : batch_after(batch);
    batch_next_u(shared, u, next, elements, &full->u_full[0]);
    five_pass_s(&at);
    BP_BARRIER();
    bp_mbarrier_wait(&full->factors_full[0], parity);
    five_pass_r(&at, shared + U_SLOT + bulk_offset(first * FACTORS) + b * FACTORS + at.p, PLANE, POINTS,
          lambda);
    BP_BARRIER();
    batch_next_factors(shared, factors, next, elements, &full->factors_full[0]);
    five_pass_back_s(&at);
    BP_BARRIER();
    five_pass_back_t(&at, x);
    if (at.p < COLUMNS && e < elements)
      pencil_store_streaming(v + e * NODES + at.p, COLUMNS, BP_NQ, x);
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
