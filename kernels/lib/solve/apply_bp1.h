/* apply_bp1.h -- the first kernel of a two-kernel iteration of BP1 and BP2: p = r + beta p, v = A p, p
 * . v by element.
 *
 * Persistent blocks; a thread owns a pencil of an element in each direction in turn: t, s, then r there and back with
 * the weights between, s, t. In shared memory: the weights of a batch; r and p of the next item, which come while this
 * one is computed; a buffer for what passes between t and s, one between s and r. The cubes of p, later of the surface
 * of v, lie where the latter begins. Weights lie as ecijk. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP1_H
#define BP_KERNELS_SOLVE_APPLY_BP1_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/solve/batches.h"
#include "lib/solve/two_kernel.h"

/* A pencil through a pass, from nodes to points or back. */
BP_DEVICE void pass_there(const double *from, int step, double *to, int to_step)
{
  double x[BP_NQ], y[BP_NC];
  pencil_load(from, step, BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, y);
  pencil_store(to, to_step, BP_NC, y);
}

BP_DEVICE void pass_back(const double *from, int step, double *to, int to_step)
{
  double x[BP_NQ], y[BP_NC];
  pencil_load(from, step, BP_NC, y);
  pencil_project(IN_CONSTANTS, y, x);
  pencil_store(to, to_step, BP_NQ, x);
}

/* Along r, to points, through the weights w, and back; returns the pencil's part of p . A p. */
BP_DEVICE double pencil_r(double *at, const double *w)
{
  double x[BP_NQ], y[BP_NC], energy = 0;
  pencil_load(at, SR_I(false), BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, y);
  BP_UNROLL
  for (int i = 0; i < BP_NC; ++i) {
    const double wy = w[i * POINTS_2D] * y[i];
    energy += y[i] * wy;
    y[i] = wy;
  }
  pencil_project(IN_CONSTANTS, y, x);
  pencil_store(at, SR_I(false), BP_NQ, x);
  return energy;
}

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [2]);
  BP_SHARED(double, buffer, [32]);
  const int b = bp_thread() / POINTS_2D, pencil = bp_thread() % POINTS_2D;
  const node_column nodes = node_column_of(b, pencil);
  const bool is_s = b < ELEMENTS_PER_BLOCK && pencil < BP_NC * BP_NQ;
  const vector_slots vectors = vector_slots_of(shared + FACTORS_SLOT, &full[0]);
  double *const ts = shared + FACTORS_SLOT + VECTORS_SLOT + b * BUFFER_TS,
                *const cubes =
                    shared + FACTORS_SLOT + VECTORS_SLOT + ELEMENTS_PER_BLOCK * BUFFER_TS,
                *const sr = cubes + b * BUFFER_SR_ECIJK;
  double *const ts_t = ts + pencil / BP_NQ * TS_J + pencil % BP_NQ * TS_I,
                *const ts_s = ts + S_K(pencil) * TS_K + S_I(pencil) * TS_I,
                *const sr_s = sr + S_K(pencil) * SR_K(false) + S_I(pencil) * SR_I(false),
                *const sr_r =
                    sr + R_K(false, pencil) * SR_K(false) + R_J(false, pencil) * SR_J(false);

  /* the first batch's factors, r, p, and the ids of the second are on their way */
  surface_nodes surface;
  item at = {(int)blockIdx.x, 0};
  bp_let_next_begin();
  if (bp_thread() == 0) {
    bp_mbarrier_start(&full[0], 1);
    bp_mbarrier_start(&full[1], 1);
    bp_mbarrier_fence();
    factors_load(shared, factors, at.batch, elements, &full[1]);
  }
  surface_start(&surface, bp_thread());
  surface_ids(&surface, at, ids, first, elements);
  pencil_prefetch_constants(THREADS, PENCIL_NONE);
  bp_wait_for_previous();
  const int k = counts[COUNT_COMPLETED];
  const double *const p_before = p + (k + HISTORY - 1) % HISTORY * (BP_FIELDS * stride);
  double *const p_now = p + k % HISTORY * (BP_FIELDS * stride);
  vectors_load(&vectors, &surface, at, r, p_before, stride, elements);
  surface_ids(&surface, item_after(at), ids, first, elements);
  const double beta = sums_begin(state, counts, residuals, buffer);

  double energy = 0;
  int parity = 0, factors_parity = 0;
  while (at.batch * ELEMENTS_PER_BLOCK < elements) {
    double x[BP_NQ];
    const item next = item_after(at);
    direction(&vectors, &surface, &nodes, at, parity, beta, cubes, p_now, stride, elements);
    BP_BARRIER();
    vectors_load(&vectors, &surface, next, r, p_before, stride, elements);
    surface_ids(&surface, item_after(next), ids, first, elements);

    if (nodes.lives)
      pass_there(cubes + nodes.cube, CUBE_K, ts_t, TS_K);
    BP_BARRIER();
    if (is_s)
      pass_there(ts_s, TS_J, sr_s, SR_J(false));
    BP_BARRIER();
    if (at.field == 0)
      bp_mbarrier_wait(&full[1], factors_parity);
    if (b < batch_elements(at.batch, elements))
      energy += pencil_r(sr_r, factors_at(shared, at.batch) + b * POINTS_3D + pencil);
    BP_BARRIER();
    if (next.field == 0) {
      factors_parity ^= 1;
      if (bp_thread() == 0)
        factors_load(shared, factors, next.batch, elements, &full[1]);
    }
    if (is_s)
      pass_back(sr_s, SR_J(false), ts_s, TS_J);
    BP_BARRIER();
    if (nodes.lives) {
      double y[BP_NC];
      pencil_load(ts_t, TS_K, BP_NC, y);
      pencil_project(IN_CONSTANTS, y, x);
    }
    column_out(&nodes, at, x, cubes, ap, stride, elements);
    BP_BARRIER();
    surface_out(&surface, at, cubes, ap, copies, stride, elements);
    at = next;
    parity ^= 1;
  }
  BP_BARRIER();
  sums_leave(energy, state + SUMS_PAP, buffer);
}

#endif
