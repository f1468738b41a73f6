/* bp3.5/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..13
 * requires: sm_90
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   stages 1..4 = 1 -- batches in shared memory at once
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * launch:   apply; threads nq * nq * elements_per_block; blocks (elements + elements_per_block - 1) / elements_per_block < sms * blocks_per_sm ? (elements + elements_per_block - 1) / elements_per_block : sms * blocks_per_sm; shared 8 * (stages * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * 7 * nq*nq*nq + 31) / 16 * 16) + elements_per_block * 2 * nq*nq * (nq + (nq + 1) % 2))
 * flops:    3 * nq*nq * (2 * nq*nq + 5 * nq + nq % 2 * 2 * (nq - 1)) + 19 * nq*nq*nq
 * shared traffic: 8 * 31 * nq*nq*nq
 *
 * Thread (element, j, i) owns a column in k: u, its t derivative and the t flux stay in its registers. Two
 * cubes per element in shared memory, rows of odd length, hold what crosses threads: u then the s part,
 * and the r part. Pencils are contracted in registers with constants, even and odd halves apart. */
#include "gpu.h"
#include "pencil.h"
#include "stream.h"

enum {
  PLANE = BP_NQ * BP_NQ,
  THREADS = BATCH * PLANE,
  ROW = BP_NQ | 1,
  SLAB = BP_NQ * ROW,
  CUBE = BP_NQ * SLAB
};

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(stream_barriers, full, [1]);
  const int batches = (elements + BATCH - 1) / BATCH;
  const int b = threadIdx.x / PLANE, column = threadIdx.x % PLANE, j = column / BP_NQ,
            i = column % BP_NQ;
  double *cube_s = shared + STAGES * STAGE + b * 2 * CUBE, *cube_r = cube_s + CUBE;
  double x[BP_NQ], y[BP_NQ];

  start_stream(shared, u, factors, elements, full, false);

  int stage = 0, parity = 0;
  for (int batch = blockIdx.x; batch < batches; batch += gridDim.x) {
    double *room = shared + stage * STAGE, wu[BP_NQ], ut[BP_NQ];
    const size_t first = (size_t)batch * BATCH, e = first + b;
    bp_mbarrier_wait(&full->u_full[stage], parity);

    /* columns: u into the cube, its t derivative stays here */
    pencil_load(room + span_offset(first * NODES) + b * NODES + column, PLANE, BP_NQ, wu);
    pencil_store(cube_s + j * ROW + i, SLAB, BP_NQ, wu);
    pencil_differentiate(wu, ut);
    BP_BARRIER();
    stream_next_u(room, u, stream_after(batch), elements, &full->u_full[stage]);
    /* rows (k, j) as this thread's (j, i): the r derivative */
    pencil_load(cube_s + j * SLAB + i * ROW, 1, BP_NQ, x);
    pencil_differentiate(x, y);
    pencil_store(cube_r + j * SLAB + i * ROW, 1, BP_NQ, y);
    BP_BARRIER();
    /* pencils (k, i): the s derivative, in place of u */
    pencil_load(cube_s + j * SLAB + i, ROW, BP_NQ, x);
    pencil_differentiate(x, y);
    pencil_store(cube_s + j * SLAB + i, ROW, BP_NQ, y);
    BP_BARRIER();
    bp_mbarrier_wait(&full->factors_full[stage], parity);
    pencil_metric(room + U_ROOM + span_offset(first * FACTORS) + b * FACTORS + column, lambda, SLAB,
                  cube_r + j * ROW + i, cube_s + j * ROW + i, ut, wu);
    BP_BARRIER();
    stream_next_factors(room, factors, stream_after(batch), elements, &full->factors_full[stage]);
    /* transposed, in place */
    pencil_load(cube_r + j * SLAB + i * ROW, 1, BP_NQ, x);
    pencil_transposed(x, y);
    pencil_store(cube_r + j * SLAB + i * ROW, 1, BP_NQ, y);
    pencil_load(cube_s + j * SLAB + i, ROW, BP_NQ, x);
    pencil_transposed(x, y);
    pencil_store(cube_s + j * SLAB + i, ROW, BP_NQ, y);
    BP_BARRIER();
    pencil_add_transposed(ut, wu);
    if (e < elements) {
      BP_UNROLL
      for (int k = 0; k < BP_NQ; ++k)
        v[e * NODES + k * PLANE + column] =
            wu[k] + cube_r[k * SLAB + j * ROW + i] + cube_s[k * SLAB + j * ROW + i];
    }
    BP_BARRIER();
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0;
  }
}
