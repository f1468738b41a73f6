/* apply_bp1.h -- the kernel with the operator of BP1 and BP2: v = A p, p . v by element, and the vectors
 * that a scheme makes on the way (batches.h). A scheme's header goes before it.
 *
 * Persistent blocks; a thread owns a pencil of an element in each direction in turn: t, s, then r there
 * and back with the weights between, s, t. In shared memory: the weights of a batch; r and p of the next
 * item, which come while this one is computed; a buffer for what passes between t and s, one between s
 * and r. The cubes of p, later of the surface of v, lie where the latter begins. Weights lie as ecijk. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP1_H
#define BP_KERNELS_SOLVE_APPLY_BP1_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/solve/batches.h"

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
  BP_SHARED(double, buffer, [SUMS_BUFFER]);
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
  const solve_arrays arrays = SOLVE_ARRAYS;
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
  surface_ids(&surface, at, arrays.ids, arrays.first, elements);
  pencil_prefetch_constants(THREADS, PENCIL_NONE);
  bp_wait_for_previous();
  iteration it = iteration_of(&arrays);
  vectors_load(&vectors, &surface, at, &it);
  surface_ids(&surface, item_after(at), arrays.ids, arrays.first, elements);
  exact_sum energy = {{0}};
  iteration_begin(&it, &arrays, &energy, buffer);

  int parity = 0, factors_parity = 0;
  while (at.batch * ELEMENTS_PER_BLOCK < elements) {
    double x[BP_NQ];
    const item next = item_after(at);
    const item_posts posts = posts_of(&it, at);
    direction(&vectors, &surface, &nodes, at, parity, cubes, &it);
    BP_BARRIER();
    vectors_load(&vectors, &surface, next, &it);
    surface_ids(&surface, item_after(next), arrays.ids, arrays.first, elements);

    if (nodes.lives)
      pass_there(cubes + nodes.cube, CUBE_K, ts_t, TS_K);
    BP_BARRIER();
    if (is_s)
      pass_there(ts_s, TS_J, sr_s, SR_J(false));
    BP_BARRIER();
    if (at.field == 0)
      bp_mbarrier_wait(&full[1], factors_parity);
    if (b < batch_elements(at.batch, elements))
      exact_add(&energy, pencil_r(sr_r, factors_at(shared, at.batch) + b * POINTS_3D + pencil));
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
    column_out(&nodes, at, x, cubes, &it);
    BP_BARRIER();
    surface_finish(&surface, at, cubes, &it);
    posts_send(&posts, bp_thread(), at, &it);
    at = next;
    parity ^= 1;
  }
  BP_BARRIER();
  iteration_end(&it, &arrays, &energy, buffer);
}

#endif
