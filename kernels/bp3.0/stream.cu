/* bp3.0/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..11
 * precision: single
 * points:   1..5
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   extra_blocks 0..32 = 0 -- more blocks for each multiprocessor than fit at once: they start when others have ended
 * option:   dynamic 0..1 = 1 -- blocks claim batches from a work queue, instead of equal shares
 * option:   matrices_in_registers 0..1 = 0 -- matrices in registers, not in constant memory
 * option:   prefetch_constants 0..1 = 1 -- fetches the matrices into the constant caches before they are needed
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * launch:   apply; threads nc * nc * elements_per_block; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * (blocks_per_sm + extra_blocks)); shared real * (batch_slot + elements_per_block * exchange)
 *
 * bp30_pencils.h has the passes, pipeline_batches.h brings the data. A block claims its next batch while it computes
 * one. So at the end some blocks have two batches left when others have none. Extra blocks begin when those have
 * ended, and claim what nobody has claimed yet. */
#if MATRICES_IN_REGISTERS /* the matrices in memory, from where pencil_load_matrices brings them */
#define BP_OPERATOR BP_GLOBAL
#endif
#include "lib/operator/bp30_pencils.h"
#include "lib/pipeline/pipeline_batches.h"
#include "lib/schedule/stagger.h"
#include "lib/schedule/tile_scheduler.h"

BP_KERNEL_BOUNDED(apply, ELEMENTS_PER_BLOCK *POINTS_2D, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  BP_SHARED(bp_mbarrier, full, [2]); /* u, factors */
  BP_SHARED(int, claimed, [1]);
  const int batches = (elements + ELEMENTS_PER_BLOCK - 1) / ELEMENTS_PER_BLOCK,
            b = threadIdx.x / POINTS_2D;
  const pencil_pointers at = pencil_pointers_of(shared + BATCH_SLOT, b, threadIdx.x % POINTS_2D);
  pencil_matrices matrices;
  const pencil_matrices *const m =
      MATRICES_IN_REGISTERS ? pencil_load_matrices(&matrices) : IN_CONSTANTS;

  stagger_start(STAGGER, BLOCKS_PER_SM);
  const batch_pipeline pipeline = {u, factors, elements, shared, full, 1, 0};
  batches_start_u(&pipeline);
  int number = DYNAMIC && threadIdx.x == 0 ? scheduler_claim(batches, 0) : 0;
  batches_start_factors(&pipeline);
  if (PREFETCH_CONSTANTS && !MATRICES_IN_REGISTERS)
    pencil_prefetch_constants(ELEMENTS_PER_BLOCK * POINTS_2D, PENCIL_D);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    real x[BP_NQ], ut[BP_NC], wu[BP_NC];
    const size_t first = (size_t)batch * ELEMENTS_PER_BLOCK, e = first + b;

    batch_wait_u(&pipeline, 0, parity);
    if (at.p < NODES_2D)
      pencil_load(shared + slot_offset(first * NODES_3D) + b * NODES_3D + at.p, NODES_2D, BP_NQ, x);
    to_points_t(m, &at, x);
    if (DYNAMIC && threadIdx.x == 0)
      scheduler_next(&number, batches, claimed);
    BP_BARRIER();
    const int next = DYNAMIC ? *claimed : batch_after(&pipeline, batch);
    batch_next_u(&pipeline, 0, next);
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
    batch_wait_factors(&pipeline, 0, parity);
    pencil_metric(shared + U_SLOT + slot_offset(first * ELEMENT_FACTORS) + b * ELEMENT_FACTORS +
                      at.p,
                  lambda, at.rt_t, RT_K(ROWS_BY_J), at.st_t, ST_K, ut, wu);
    transposed_t(m, &at, wu, ut);
    slot_read_barrier();
    batch_next_factors(&pipeline, 0, next);
    transposed_s(m, &at);
    BP_BARRIER();
    to_nodes_r(m, &at);
    BP_BARRIER();
    to_nodes_s(m, &at);
    BP_BARRIER();
    to_nodes_t(m, &at, x);
    if (at.p < NODES_2D && e < elements)
      pencil_store_streaming(v + e * NODES_3D + at.p, NODES_2D, BP_NQ, x);
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
