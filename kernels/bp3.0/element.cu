/* bp3.0/element -- a thread per element; batches of whole elements come by bulk copies
 *
 * degrees:  1..1
 * points:   1..5
 * option:   elements_per_block 32..128 = 64 -- elements of a batch, and threads of a block
 * option:   stages 1..4 = 1 -- batches in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * launch:   apply; threads elements_per_block; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared real * stages * batch_slot
 *
 * 8 nodes and 27 points fit in registers, so no values pass between threads. The factors of an element are an odd
 * number of doubles, so neighbouring threads read different banks. Point by point: the gradient from the values of
 * three lines, the flux, and at once its shares in the sums of the same lines. */
#include "abi/gpu.h"
#include "lib/contract/pencil.h"
#include "lib/pipeline/pipeline_batches.h"

enum { LINE = BP_NC };

BP_DEVICE void interpolate_line(real *line, int step)
{
  real from[BP_NQ], to[BP_NC];
  pencil_load(line, step, BP_NQ, from);
  pencil_interpolate(IN_CONSTANTS, from, to);
  pencil_store(line, step, BP_NC, to);
}

BP_DEVICE void project_line(real *line, int step)
{
  real from[BP_NC], to[BP_NQ];
  pencil_load(line, step, BP_NC, from);
  pencil_project(IN_CONSTANTS, from, to);
  pencil_store(line, step, BP_NQ, to);
}

/* From nodes in the lower corner of x[c][b][a] to the points, in place. */
BP_DEVICE void interpolate(real *x)
{
  BP_UNROLL
  for (int n = 0; n < BP_NQ * BP_NQ; ++n)
    interpolate_line(x + n / BP_NQ * POINTS_2D + n % BP_NQ * LINE, 1);
  BP_UNROLL
  for (int n = 0; n < BP_NQ * BP_NC; ++n)
    interpolate_line(x + n / BP_NC * POINTS_2D + n % BP_NC, LINE);
  BP_UNROLL
  for (int n = 0; n < BP_NC * BP_NC; ++n)
    interpolate_line(x + n, POINTS_2D);
}

BP_DEVICE void project(real *x)
{
  BP_UNROLL
  for (int n = 0; n < BP_NC * BP_NC; ++n)
    project_line(x + n, POINTS_2D);
  BP_UNROLL
  for (int n = 0; n < BP_NQ * BP_NC; ++n)
    project_line(x + n / BP_NC * POINTS_2D + n % BP_NC, LINE);
  BP_UNROLL
  for (int n = 0; n < BP_NQ * BP_NQ; ++n)
    project_line(x + n / BP_NQ * POINTS_2D + n % BP_NQ * LINE, 1);
}

/* Where node n lies in the lower corner. */
BP_DEVICE int corner(int n)
{
  return n / (BP_NQ * BP_NQ) * POINTS_2D + n / BP_NQ % BP_NQ * LINE + n % BP_NQ;
}

/* sum += (D' G D + lambda W) x */
BP_DEVICE void apply_at_points(const real *f, real lambda, const real *x, real *sum)
{
  BP_UNROLL
  for (int n = 0; n < POINTS_3D; ++n) {
    const int a = n % BP_NC, b = n / LINE % BP_NC, c = n / POINTS_2D;
    real r = 0, s = 0, t = 0, value = x[n];
    BP_UNROLL
    for (int m = 0; m < BP_NC; ++m) {
      r += bp_D[a][m] * x[n + m - a];
      s += bp_D[b][m] * x[n + (m - b) * LINE];
      t += bp_D[c][m] * x[n + (m - c) * POINTS_2D];
    }
    flux(f + n, POINTS_3D, lambda, &r, &s, &t, &value);
    sum[n] += value;
    BP_UNROLL
    for (int m = 0; m < BP_NC; ++m) {
      sum[n + m - a] += bp_D[a][m] * r;
      sum[n + (m - b) * LINE] += bp_D[b][m] * s;
      sum[n + (m - c) * POINTS_2D] += bp_D[c][m] * t;
    }
  }
}

BP_KERNEL_BOUNDED(apply, ELEMENTS_PER_BLOCK, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  BP_SHARED(bp_mbarrier, full, [2 * STAGES]); /* u, factors */
  const int batches = (elements + ELEMENTS_PER_BLOCK - 1) / ELEMENTS_PER_BLOCK;

  const batch_pipeline pipeline = {u, factors, elements, shared, full, STAGES, 0};
  batches_start_u(&pipeline);
  batches_start_factors(&pipeline);

  int stage = 0, parity = 0;
  for (int batch = blockIdx.x; batch < batches; batch += gridDim.x) {
    real x[POINTS_3D], sum[POINTS_3D];
    const real *slot = shared + stage * BATCH_SLOT;
    const size_t first = (size_t)batch * ELEMENTS_PER_BLOCK, e = first + threadIdx.x;
    const real *uu = slot + slot_offset(first * NODES_3D) + threadIdx.x * NODES_3D;
    const real *f =
        slot + U_SLOT + slot_offset(first * ELEMENT_FACTORS) + threadIdx.x * ELEMENT_FACTORS;
    const bool mine = e < elements;

    batch_wait_u(&pipeline, stage, parity);
    BP_UNROLL
    for (int n = 0; n < NODES_3D; ++n)
      x[corner(n)] = mine ? uu[n] : 0;
    slot_read_barrier();
    batch_next_u(&pipeline, stage, batch_after(&pipeline, batch));
    interpolate(x);
    BP_UNROLL
    for (int n = 0; n < POINTS_3D; ++n)
      sum[n] = 0;

    batch_wait_factors(&pipeline, stage, parity);
    if (mine)
      apply_at_points(f, lambda, x, sum);
    slot_read_barrier();
    batch_next_factors(&pipeline, stage, batch_after(&pipeline, batch));

    project(sum);
    if (mine) {
      BP_UNROLL
      for (int n = 0; n < NODES_3D; ++n)
        v[e * NODES_3D + n] = sum[corner(n)];
    }
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0;
  }
}
