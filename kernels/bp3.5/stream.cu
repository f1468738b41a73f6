/* bp3.5/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..13
 * geometry: stored affine trilinear quadratic
 * precision: single
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   dynamic 0..1 = 1 -- blocks claim batches from a work queue, instead of equal shares
 * option:   matrices_in_registers 0..1 = 0 -- matrices in registers, not in constant memory
 * option:   prefetch_constants 0..1 = 1 -- fetches the matrices into the constant caches before they are needed
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * launch:   apply; threads nq * nq * elements_per_block; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared real * (batch_slot + elements_per_block * exchange)
 * flops:    3 * nq*nq * (2 * nq*nq + 5 * nq + nq % 2 * 2 * (nq - 1)) + 19 * nq*nq*nq + geometry_flops
 * shared traffic: real * ((16 + (nq % 4 == 0 && nq > 4)) * nq*nq*nq + element_factors * (geometry_flops ? 1 + nq*nq : 2))
 *
 * u is read where the bulk copy left it. Where rows of 8 or 12 nodes begin in too few banks, rows along r are read
 * from a copy. bp35_pencils.h has the rest, pipeline_batches.h brings the data. */
#if MATRICES_IN_REGISTERS /* the matrices in memory, from where pencil_load_matrices brings them */
#define BP_OPERATOR BP_GLOBAL
#endif
#include "lib/operator/bp35_pencils.h"
#include "lib/operator/metric.h"
#include "lib/pipeline/pipeline_batches.h"
#include "lib/schedule/stagger.h"
#include "lib/schedule/tile_scheduler.h"

enum { COPY = BP_NQ % 4 == 0 && BP_NQ > 4 };

BP_KERNEL_BOUNDED(apply, ELEMENTS_PER_BLOCK *NODES_2D, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  BP_SHARED(bp_mbarrier, full, [2]); /* u, factors */
  const int batches = (elements + ELEMENTS_PER_BLOCK - 1) / ELEMENTS_PER_BLOCK;
  const int b = threadIdx.x / NODES_2D, column = threadIdx.x % NODES_2D, j = column / BP_NQ,
            i = column % BP_NQ;
  const pencil_pointers at = pencil_pointers_of(shared + BATCH_SLOT, b, column);
  pencil_matrices matrices;
  const pencil_matrices *const m =
      MATRICES_IN_REGISTERS ? pencil_load_matrices(&matrices) : IN_CONSTANTS;
  real x[BP_NQ], y[BP_NQ];

  BP_SHARED(int, claimed, [1]);
  stagger_start(STAGGER, BLOCKS_PER_SM);
  const batch_pipeline pipeline = {u, factors, elements, shared, full, 1, 0};
  batches_start_u(&pipeline);
  int number = DYNAMIC && threadIdx.x == 0 ? scheduler_claim(batches, 0) : 0;
  batches_start_factors(&pipeline);
  if (PREFETCH_CONSTANTS && !MATRICES_IN_REGISTERS)
    pencil_prefetch_constants(ELEMENTS_PER_BLOCK * NODES_2D, PENCIL_D);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    real wu[BP_NQ], ut[BP_NQ];
    const size_t first = (size_t)batch * ELEMENTS_PER_BLOCK, e = first + b;
    batch_wait_u(&pipeline, 0, parity);

    /* the derivatives along t, which stays here, along r, and along s as (k, i) */
    const real *uu = shared + slot_offset(first * NODES_3D) + b * NODES_3D;
    pencil_load(uu + column, NODES_2D, BP_NQ, wu);
    if (COPY) {
      pencil_store(at.rt_t, RT_K(ROWS_BY_J), BP_NQ, wu);
      BP_BARRIER();
    }
    pencil_differentiate(m, wu, ut);
    pencil_load(COPY ? at.rt_r
                     : uu + R_K(ROWS_BY_J, column) * NODES_2D + R_J(ROWS_BY_J, column) * BP_NQ,
                1, BP_NQ, x);
    pencil_differentiate(m, x, y);
    pencil_store(at.rt_r, 1, BP_NQ, y);
    pencil_load(uu + j * NODES_2D + i, BP_NQ, BP_NQ, x);
    pencil_differentiate(m, x, y);
    pencil_store(at.st_s, BP_NQ, BP_NQ, y);
    if (DYNAMIC && threadIdx.x == 0)
      scheduler_next(&number, batches, claimed);
    BP_BARRIER();
    const int next = DYNAMIC ? *claimed : batch_after(&pipeline, batch);
    batch_next_u(&pipeline, 0, next);
    batch_wait_factors(&pipeline, 0, parity);
    const metric_line line =
        metric_line_of(shared + U_SLOT + slot_offset(first * ELEMENT_FACTORS) + b * ELEMENT_FACTORS,
                       column, POINTS_2D, POINTS_3D, ALONG_T, i, j);
    BP_UNROLL
    for (int k = 0; k < BP_NQ; ++k)
      metric_flux(&line, k, ALONG_T, lambda, &ut[k], at.rt_t + k * RT_K(ROWS_BY_J),
                  at.st_t + k * ST_K, &wu[k], NO_ENERGY);
    slot_read_barrier();
    batch_next_factors(&pipeline, 0, next);
    transposed_r_and_s(m, &at);
    BP_BARRIER();
    if (e < elements)
      column_out(m, &at, wu, ut, v + e * NODES_3D + column);
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
