/* bp3.0/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..11
 * requires: sm_90
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   stages 1..4 = 1 -- batches in shared memory at once
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * launch:   apply; threads nc * nc * elements_per_block; blocks (elements + elements_per_block - 1) / elements_per_block < sms * blocks_per_sm ? (elements + elements_per_block - 1) / elements_per_block : sms * blocks_per_sm; shared 8 * (stages * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * 7 * nc*nc*nc + 31) / 16 * 16) + elements_per_block * 3 * nc*nc * (nc + (nc + 1) % 2))
 *
 * Thread (element, a, b) owns a pencil in each direction in turn; a t column's interpolated values, t
 * derivative and t flux stay in its registers. Three cubes per element in shared memory, rows of odd length:
 * u at the points and later the sum, the r part, the s part. Pencils are contracted in registers with
 * constants, even and odd halves apart. */
#include "gpu.h"
#include "pencil.h"
#include "stream.h"

enum {
  PLANE = BP_NC * BP_NC,
  THREADS = BATCH * PLANE,
  ROW = BP_NC | 1,
  SLAB = BP_NC * ROW,
  CUBE = BP_NC * SLAB
};

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(stream_barriers, full, [1]);
  const int batches = (elements + BATCH - 1) / BATCH;
  const int b = threadIdx.x / PLANE, p = threadIdx.x % PLANE, j = p / BP_NC, i = p % BP_NC;
  double *cube = shared + STAGES * STAGE + b * 3 * CUBE, *cube_r = cube + CUBE,
         *cube_s = cube_r + CUBE;

  start_stream(shared, u, factors, elements, full, BP_N >= 7);

  int stage = 0, parity = 0;
  for (int batch = blockIdx.x; batch < batches; batch += gridDim.x) {
    double *room = shared + stage * STAGE, x[BP_NC], y[BP_NC], ut[BP_NC], wu[BP_NC];
    const size_t first = (size_t)batch * BATCH, e = first + b;
    bp_mbarrier_wait(&full->u_full[stage], parity);

    /* interpolate: t as (j, i), s as (k, i), r as (k, j); the last also differentiates */
    if (p < BP_NQ * BP_NQ) {
      pencil_load(room + span_offset(first * NODES) + b * NODES + p, BP_NQ * BP_NQ, BP_NQ, x);
      pencil_interpolate(x, y);
      pencil_store(cube + p / BP_NQ * ROW + p % BP_NQ, SLAB, BP_NC, y);
    }
    BP_BARRIER();
    stream_next_u(room, u, stream_after(batch), elements, &full->u_full[stage]);
    if (p < BP_NC * BP_NQ) {
      double *at = cube + p / BP_NQ * SLAB + p % BP_NQ;
      pencil_load(at, ROW, BP_NQ, x);
      pencil_interpolate(x, y);
      pencil_store(at, ROW, BP_NC, y);
    }
    BP_BARRIER();
    pencil_load(cube + p * ROW, 1, BP_NQ, x);
    pencil_interpolate(x, y);
    pencil_store(cube + p * ROW, 1, BP_NC, y);
    pencil_differentiate(y, x);
    pencil_store(cube_r + p * ROW, 1, BP_NC, x);
    BP_BARRIER();
    /* the s derivative as (k, i), the t derivative and the metric as (j, i) */
    pencil_load(cube + j * SLAB + i, ROW, BP_NC, x);
    pencil_differentiate(x, y);
    pencil_store(cube_s + j * SLAB + i, ROW, BP_NC, y);
    pencil_load(cube + j * ROW + i, SLAB, BP_NC, wu);
    pencil_differentiate(wu, ut);
    BP_BARRIER();
    bp_mbarrier_wait(&full->factors_full[stage], parity);
    pencil_metric(room + U_ROOM + span_offset(first * FACTORS) + b * FACTORS + p, lambda, SLAB,
                  cube_r + j * ROW + i, cube_s + j * ROW + i, ut, wu);
    pencil_add_transposed(ut, wu);
    pencil_store(cube + j * ROW + i, SLAB, BP_NC, wu);
    BP_BARRIER();
    stream_next_factors(room, factors, stream_after(batch), elements, &full->factors_full[stage]);
    /* transposed: s as (k, i) into the sum, r as (k, j) */
    pencil_load(cube_s + j * SLAB + i, ROW, BP_NC, x);
    pencil_load(cube + j * SLAB + i, ROW, BP_NC, y);
    pencil_add_transposed(x, y);
    pencil_store(cube + j * SLAB + i, ROW, BP_NC, y);
    BP_BARRIER();
    pencil_load(cube_r + p * ROW, 1, BP_NC, x);
    pencil_load(cube + p * ROW, 1, BP_NC, y);
    pencil_add_transposed(x, y);
    pencil_project(y, x);
    pencil_store(cube + p * ROW, 1, BP_NQ, x);
    BP_BARRIER();
    if (p < BP_NC * BP_NQ) {
      double *at = cube + p / BP_NQ * SLAB + p % BP_NQ;
      pencil_load(at, ROW, BP_NC, y);
      pencil_project(y, x);
      pencil_store(at, ROW, BP_NQ, x);
    }
    BP_BARRIER();
    if (p < BP_NQ * BP_NQ) {
      pencil_load(cube + p / BP_NQ * ROW + p % BP_NQ, SLAB, BP_NC, y);
      pencil_project(y, x);
      if (e < elements) {
        BP_UNROLL
        for (int k = 0; k < BP_NQ; ++k)
          v[e * NODES + k * BP_NQ * BP_NQ + p] = x[k];
      }
    }
    BP_BARRIER();
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0;
  }
}
