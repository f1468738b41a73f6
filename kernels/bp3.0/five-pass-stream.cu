/* bp3.0/five-pass-stream -- as stream, in five passes: derivatives straight from the nodes by D I
 *
 * degrees:  1..9
 * requires: sm_90
 * factors:  ecijk
 * option:   elements_per_block 1..64 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   apart 0..127 = 0 -- clocks from a block's beginning to the next one's
 * option:   late 0..32 = 0 -- so many more of each multiprocessor's blocks begin when others have ended
 * option:   dealt 0..1 = 1 -- blocks take batches as they get on, instead of equal shares
 * option:   fetched 0..1 = 1 -- the matrices are fetched from constant memory before they are needed
 * option:   once 0..32 = 0 -- sixteenths of the factors that leave L2 first; beyond 16 also of u
 * launch:   apply; threads nc * nc * elements_per_block; blocks (elements + elements_per_block - 1) / elements_per_block < sms * (blocks_per_sm + late) ? (elements + elements_per_block - 1) / elements_per_block : sms * (blocks_per_sm + late); shared 8 * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * 7 * nc*nc*nc + 31) / 16 * 16 + elements_per_block * (2 * like(nc * (nq % 2 == 0 ? nq*nq : like(nq*nq, nq)), (nq % 2 == 0 ? nc : nq) * nq) + 3 * like(nc * (nq % 2 == 0 ? like(nc*nq, nc) : nc*nq), nc*nq)))
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
  BP_SHARED(stream_barriers, full, [1]);
  BP_SHARED(int, dealt, [1]);
  const int batches = (elements + BATCH - 1) / BATCH, b = threadIdx.x / PLANE;
  const few_places at = few_places_of(shared + STAGE, b, threadIdx.x % PLANE);

  begin_apart(BLOCKS_PER_SM);
  start_stream_u(shared, u, elements, full);
  int number = DEALT && threadIdx.x == 0 ? dealt_take(batches, 0) : 0;
  start_stream_factors(shared, factors, elements, full);
  if (FETCHED)
    pencil_fetch(BATCH * PLANE, PENCIL_DI);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    double x[BP_NQ];
    const size_t first = (size_t)batch * BATCH, e = first + b;

    bp_mbarrier_wait(&full->u_full[0], parity);
    if (at.p < COLUMNS)
      pencil_load(shared + span_offset(first * NODES) + b * NODES + at.p, COLUMNS, BP_NQ, x);
    few_t(&at, x);
    if (DEALT && threadIdx.x == 0)
      dealt_next(&number, batches, dealt);
    BP_BARRIER();
    const int next = DEALT ? *dealt : stream_after(batch);
    stream_next_u(shared, u, next, elements, &full->u_full[0]);
    few_s(&at);
    BP_BARRIER();
    bp_mbarrier_wait(&full->factors_full[0], parity);
    few_r(&at, shared + U_ROOM + span_offset(first * FACTORS) + b * FACTORS + at.p, PLANE, POINTS,
          lambda);
    BP_BARRIER();
    stream_next_factors(shared, factors, next, elements, &full->factors_full[0]);
    few_back_s(&at);
    BP_BARRIER();
    few_back_t(&at, x);
    if (at.p < COLUMNS && e < elements)
      pencil_store_streaming(v + e * NODES + at.p, COLUMNS, BP_NQ, x);
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
