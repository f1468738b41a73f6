/* bp1.0/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..15
 * precision: single
 * points:   1..5
 * factors:  ecikj
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   pencils_per_thread 1..16 = 1 -- pencils that a thread takes, one after the other
 * option:   stages 1..4 = 1 -- batches in shared memory at once
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     threads = (elements_per_block * nc*nc + pencils_per_thread * 32 - 1) / (pencils_per_thread * 32) * 32 -- of a block
 * size:     row = nq < 7 ? nc + (nc + 1) % 2 : nq % 4 == 2 ? nq : nq + (nq + 1) % 2 -- doubles from row to row of a cube
 * size:     slab = nc * row + (32 + nq - nc * row % 16) % 16 -- its slabs: banks go on after a row of nq
 * size:     cube = nc * slab -- of an element
 * launch:   apply; threads threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared real * (stages * batch_slot + elements_per_block * cube)
 * shared traffic: real * (nq*nq*(nq + nc) + nc*nq*(nq + nc) + nc*nc*(nq + nc + nq) + nc*nq*(nc + nq) + nq*nq*nc + nq*nq*nq + nc*nc*nc)
 *
 * One cube per element in shared memory, with the row length that has the fewest bank conflicts. Two buffers as in
 * direct.cu have fewer, but at N = 1, where this kernel is the fastest, they cost 5 %.
 *
 * Five passes over pencils, each contracted in registers with constants, even and odd halves separately: t, s, then
 * r to the points, the weights, r back, then s, t. The weights lie with r outermost, so that neighbouring threads
 * read neighbouring doubles. */
#include "abi/gpu.h"
#include "lib/contract/pencil.h"
#include "lib/pipeline/pipeline_batches.h"

/* This thread's pencils of `count` per element: their element b and number p. */
#define FOR_PENCILS(count)                                                                         \
  for (int n = threadIdx.x, b, p;                                                                  \
       n < ELEMENTS_PER_BLOCK * (count) && (b = n / (count), p = n % (count), true); n += THREADS)

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  BP_SHARED(bp_mbarrier, full, [2 * STAGES]); /* u, factors */
  const int batches = (elements + ELEMENTS_PER_BLOCK - 1) / ELEMENTS_PER_BLOCK;
  real *cubes = shared + STAGES * BATCH_SLOT;

  const batch_pipeline pipeline = {u, factors, elements, shared, full, STAGES, 0};
  batches_start_u(&pipeline);
  batches_start_factors(&pipeline);
  pencil_prefetch_constants(THREADS, PENCIL_NONE);

  int stage = 0, parity = 0;
  for (int batch = blockIdx.x; batch < batches; batch += gridDim.x) {
    const real *slot = shared + stage * BATCH_SLOT;
    const size_t first = (size_t)batch * ELEMENTS_PER_BLOCK;
    const real *uu = slot + slot_offset(first * NODES_3D);
    const real *ww = slot + U_SLOT + slot_offset(first * ELEMENT_FACTORS);
    batch_wait_u(&pipeline, stage, parity);

    FOR_PENCILS(BP_NQ * BP_NQ) /* (j, i): t, nodes to points */
    {
      real x[BP_NQ], y[BP_NC];
      pencil_load(uu + b * NODES_3D + p, BP_NQ * BP_NQ, BP_NQ, x);
      pencil_interpolate(IN_CONSTANTS, x, y);
      pencil_store(cubes + b * CUBE + p / BP_NQ * ROW + p % BP_NQ, SLAB, BP_NC, y);
    }
    BP_BARRIER();
    batch_next_u(&pipeline, stage, batch_after(&pipeline, batch));
    FOR_PENCILS(BP_NC * BP_NQ) /* (k, i): s */
    {
      real x[BP_NQ], y[BP_NC], *at = cubes + b * CUBE + p / BP_NQ * SLAB + p % BP_NQ;
      pencil_load(at, ROW, BP_NQ, x);
      pencil_interpolate(IN_CONSTANTS, x, y);
      pencil_store(at, ROW, BP_NC, y);
    }
    BP_BARRIER();
    batch_wait_factors(&pipeline, stage, parity);
    FOR_PENCILS(BP_NC * BP_NC) /* (k, j): r, the weights, and back */
    {
      real x[BP_NQ], y[BP_NC], *at = cubes + b * CUBE + p / BP_NC * SLAB + p % BP_NC * ROW;
      pencil_load(at, 1, BP_NQ, x);
      pencil_interpolate(IN_CONSTANTS, x, y);
      BP_UNROLL
      for (int i = 0; i < BP_NC; ++i)
        y[i] *= ww[b * POINTS_3D + i * BP_NC * BP_NC + p];
      pencil_project(IN_CONSTANTS, y, x);
      pencil_store(at, 1, BP_NQ, x);
    }
    BP_BARRIER();
    batch_next_factors(&pipeline, stage, batch_after(&pipeline, batch));
    FOR_PENCILS(BP_NC * BP_NQ) /* (k, i): s, points to nodes */
    {
      real x[BP_NQ], y[BP_NC], *at = cubes + b * CUBE + p / BP_NQ * SLAB + p % BP_NQ;
      pencil_load(at, ROW, BP_NC, y);
      pencil_project(IN_CONSTANTS, y, x);
      pencil_store(at, ROW, BP_NQ, x);
    }
    BP_BARRIER();
    FOR_PENCILS(BP_NQ * BP_NQ) /* (j, i): t, and out */
    {
      real x[BP_NQ], y[BP_NC];
      pencil_load(cubes + b * CUBE + p / BP_NQ * ROW + p % BP_NQ, SLAB, BP_NC, y);
      pencil_project(IN_CONSTANTS, y, x);
      if (first + b < elements) {
        BP_UNROLL
        for (int k = 0; k < BP_NQ; ++k)
          v[(first + b) * NODES_3D + k * BP_NQ * BP_NQ + p] = x[k];
      }
    }
    BP_BARRIER();
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0;
  }
}
