/* bp3.5/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..13
 * requires: sm_90
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from a block's beginning to the next one's
 * option:   dynamic 0..1 = 1 -- blocks take batches as they get on, instead of equal shares
 * option:   matrices_in_registers 0..1 = 0 -- threads hold the matrices in registers, instead of constant memory
 * option:   prefetch_constants 0..1 = 1 -- the matrices are fetched from constant memory before they are needed, unless held
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors that leave L2 first; beyond 16 also of u
 * launch:   apply; threads nq * nq * elements_per_block; blocks (elements + elements_per_block - 1) / elements_per_block < sms * blocks_per_sm ? (elements + elements_per_block - 1) / elements_per_block : sms * blocks_per_sm; shared 8 * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * 7 * nq*nq*nq + 31) / 16 * 16 + elements_per_block * (same_bank(nq * (nq % 2 == 1 ? nq*nq : same_bank(nq*nq, 1)), nq*nq) + same_bank(nq * same_bank(nq*nq, nq), nq*nq)))
 * flops:    3 * nq*nq * (2 * nq*nq + 5 * nq + nq % 2 * 2 * (nq - 1)) + 19 * nq*nq*nq
 * shared traffic: 8 * (30 + (nq % 4 == 0 && nq > 4)) * nq*nq*nq
 *
 * u is read where it came to; where rows of 8 or 12 nodes begin in too few banks, rows along r are read from a
 * copy. The rest is told in pencil_bp35.h. */
#if MATRICES_IN_REGISTERS /* the matrices in memory, from where pencil_load_matrices brings them */
#define BP_OPERATOR BP_GLOBAL
#endif
#include "lib/schedule/stagger.h"
#include "lib/schedule/tile_scheduler.h"
#define STAGES 1
#include "lib/pipeline/pipeline_batches.h"

#include "lib/operator/bp35_pencils.h"

enum { COPY = BP_NQ % 4 == 0 && BP_NQ > 4 };

BP_KERNEL_BOUNDED(apply, BATCH *PLANE, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(batch_barriers, full, [1]);
  const int batches = (elements + BATCH - 1) / BATCH;
  const int b = threadIdx.x / PLANE, column = threadIdx.x % PLANE, j = column / BP_NQ,
            i = column % BP_NQ;
  const pencil_pointers at = pencil_pointers_of(shared + STAGE, b, column);
  pencil_matrices matrices;
  const pencil_matrices *const m = MATRICES_IN_REGISTERS ? pencil_load_matrices(&matrices) : IN_CONSTANTS;
  double x[BP_NQ], y[BP_NQ];

  BP_SHARED(int, claimed, [1]);
  stagger_start(BLOCKS_PER_SM);
  batches_start_u(shared, u, elements, full);
  int number = DYNAMIC && threadIdx.x == 0 ? scheduler_claim(batches, 0) : 0;
  batches_start_factors(shared, factors, elements, full);
  if (PREFETCH_CONSTANTS && !MATRICES_IN_REGISTERS)
    pencil_prefetch_constants(BATCH * PLANE, PENCIL_D);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    double wu[BP_NQ], ut[BP_NQ];
    const size_t first = (size_t)batch * BATCH, e = first + b;
    bp_mbarrier_wait(&full->u_full[0], parity);

    /* the derivatives along t, which stays here, along r, and along s as (k, i) */
    const double *uu = shared + bulk_offset(first * NODES) + b * NODES;
    pencil_load(uu + column, PLANE, BP_NQ, wu);
    if (COPY) {
      pencil_store(at.rt_t, RT_K, BP_NQ, wu);
      BP_BARRIER();
    }
    pencil_differentiate(m, wu, ut);
    pencil_load(COPY ? at.rt_r : uu + R_K(column) * PLANE + R_J(column) * BP_NQ, 1, BP_NQ, x);
    pencil_differentiate(m, x, y);
    pencil_store(at.rt_r, 1, BP_NQ, y);
    pencil_load(uu + j * PLANE + i, BP_NQ, BP_NQ, x);
    pencil_differentiate(m, x, y);
    pencil_store(at.st_s, BP_NQ, BP_NQ, y);
    if (DYNAMIC && threadIdx.x == 0)
      scheduler_next(&number, batches, claimed);
    BP_BARRIER();
    const int next = DYNAMIC ? *claimed : batch_after(batch);
    batch_next_u(shared, u, next, elements, &full->u_full[0]);
    bp_mbarrier_wait(&full->factors_full[0], parity);
    pencil_metric(shared + U_SLOT + bulk_offset(first * FACTORS) + b * FACTORS + column, lambda,
                  at.rt_t, RT_K, at.st_t, ST_K, ut, wu);
    BP_BARRIER();
    batch_next_factors(shared, factors, next, elements, &full->factors_full[0]);
    transposed_r_and_s(m, &at);
    BP_BARRIER();
    if (e < elements)
      column_out(m, &at, wu, ut, v + e * NODES + column);
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
