/* bp3.0/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..11
 * requires: sm_90
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   stages 1..4 = 1 -- batches in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
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
  BATCH = ELEMENTS_PER_BLOCK,
  PLANE = BP_NC * BP_NC,
  NODES = BP_NQ * BP_NQ * BP_NQ,
  POINTS = BP_NC * PLANE,
  THREADS = BATCH * PLANE,
  ROW = BP_NC | 1,
  SLAB = BP_NC * ROW,
  CUBE = BP_NC * SLAB,
  U_ROOM = BP_SPAN(BATCH * NODES),
  STAGE = U_ROOM + BP_SPAN(BATCH * 7 * POINTS)
};

/* By one thread: asks for a batch. */
BP_DEVICE void load_batch(double *stage, const double *u, const double *factors, int batch, int elements,
                          bp_mbarrier *full)
{
  const size_t first = (size_t)batch * BATCH;
  const size_t count = min(BATCH, elements - batch * BATCH);
  span_load_odd(stage, u, first * NODES, count * NODES);
  span_load_odd(stage + U_ROOM, factors, first * 7 * POINTS, count * 7 * POINTS);
  bp_mbarrier_expect(full, span_bytes(first * NODES, count * NODES) +
                               span_bytes(first * 7 * POINTS, count * 7 * POINTS));
  span_load(stage, u, first * NODES, count * NODES, full);
  span_load(stage + U_ROOM, factors, first * 7 * POINTS, count * 7 * POINTS, full);
}

/* Point by point down the column: gradient in (r part at cr, s part at cs, t part in ut), fluxes out to the
 * same places; wu becomes lambda W u. `g` points to the column's factors. */
BP_DEVICE void apply_metric(const double *g, double lambda, double *cr, double *cs, double *ut, double *wu)
{
  BP_UNROLL
  for (int k = 0; k < BP_NC; ++k) {
    const double *f = g + k * PLANE;
    const double r = cr[k * SLAB], s = cs[k * SLAB], t = ut[k];
    cr[k * SLAB] = f[0] * r + f[POINTS] * s + f[2 * POINTS] * t;
    cs[k * SLAB] = f[POINTS] * r + f[3 * POINTS] * s + f[4 * POINTS] * t;
    ut[k] = f[2 * POINTS] * r + f[4 * POINTS] * s + f[5 * POINTS] * t;
    wu[k] *= lambda * f[6 * POINTS];
  }
}

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [STAGES]);
  const int batches = (elements + BATCH - 1) / BATCH;
  const int b = threadIdx.x / PLANE, p = threadIdx.x % PLANE, j = p / BP_NC, i = p % BP_NC;
  double *cube = shared + STAGES * STAGE + b * 3 * CUBE, *cube_r = cube + CUBE, *cube_s = cube_r + CUBE;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s)
      bp_mbarrier_start(&full[s], 1);
    bp_mbarrier_fence();
  }
  BP_BARRIER();
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES && blockIdx.x + s * gridDim.x < batches; ++s)
      load_batch(shared + s * STAGE, u, factors, blockIdx.x + s * gridDim.x, elements, &full[s]);

  int stage = 0, parity = 0;
  for (int batch = blockIdx.x; batch < batches; batch += gridDim.x) {
    double *room = shared + stage * STAGE, x[BP_NC], y[BP_NC], ut[BP_NC], wu[BP_NC];
    const size_t first = (size_t)batch * BATCH, e = first + b;
    bp_mbarrier_wait(&full[stage], parity);

    /* interpolate: t as (j, i), s as (k, i), r as (k, j); the last also differentiates */
    if (p < BP_NQ * BP_NQ) {
      pencil_load(room + span_offset(first * NODES) + b * NODES + p, BP_NQ * BP_NQ, BP_NQ, x);
      pencil_interpolate(x, y);
      pencil_store(cube + p / BP_NQ * ROW + p % BP_NQ, SLAB, BP_NC, y);
    }
    BP_BARRIER();
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
    apply_metric(room + U_ROOM + span_offset(first * 7 * POINTS) + b * 7 * POINTS + p, lambda,
                 cube_r + j * ROW + i, cube_s + j * ROW + i, ut, wu);
    pencil_add_transposed(ut, wu);
    pencil_store(cube + j * ROW + i, SLAB, BP_NC, wu);
    bp_async_fence();
    BP_BARRIER();
    if (threadIdx.x == 0 && batch + STAGES * gridDim.x < batches)
      load_batch(room, u, factors, batch + STAGES * gridDim.x, elements, &full[stage]);
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
