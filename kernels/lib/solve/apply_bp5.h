/* apply_bp5.h -- the first kernel of a two-kernel iteration of BP5 and BP6 (also with a mass term): p = r + beta p,
 * v = A p, p . v by element.
 *
 * Persistent blocks; thread (j, i) of an element owns a column in k, whose t derivative stays in its registers. In
 * shared memory: the factors of a batch; r and p of the next item, which come while this one is computed; the r part
 * and the s part of each element; p, later the surface of v, which may share the place of the r part (cubes 2: then all
 * pencils are read before one is written). Factors lie as ekcji. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP5_H
#define BP_KERNELS_SOLVE_APPLY_BP5_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/solve/batches.h"
#include "lib/solve/two_kernel.h"

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [2]);
  BP_SHARED(double, buffer, [32]);
  const int b = bp_thread() / POINTS_2D, column = bp_thread() % POINTS_2D;
  const node_column nodes = node_column_of(b, column);
  const vector_slots vectors = vector_slots_of(shared + FACTORS_SLOT, &full[0]);
  double *const cubes = shared + FACTORS_SLOT + VECTORS_SLOT, *const cube = cubes + b * CUBE;
  double *const rt = cubes + (CUBES - 2) * (ELEMENTS_PER_BLOCK * CUBE) + b * BUFFER_RT,
                *const st =
                    cubes + ELEMENTS_PER_BLOCK * ((CUBES - 2) * CUBE + BUFFER_RT) + b * BUFFER_ST;
  const int row = R_K(ROWS_BY_J, column) * CUBE_K + R_J(ROWS_BY_J, column) * BP_NQ,
            along_s = column / BP_NQ * ST_K + column % BP_NQ,
            along_s_cube = column / BP_NQ * CUBE_K + column % BP_NQ;

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
  surface_start(&surface);
  surface_ids(&surface, at, ids, first, elements);
  pencil_prefetch_constants(THREADS, PENCIL_D);
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
    double x[BP_NQ], y[BP_NQ], values[BP_NQ], ut[BP_NQ];
    const item next = item_after(at);
    direction(&vectors, &surface, &nodes, at, parity, beta, cubes, p_now, stride, elements);
    BP_BARRIER();
    vectors_load(&vectors, &surface, next, r, p_before, stride, elements);
    surface_ids(&surface, item_after(next), ids, first, elements);

    /* the derivatives along t, which stays here, along r, and along s as (k, i) */
    if (nodes.lives) {
      pencil_load(cube + column, CUBE_K, BP_NQ, values);
      pencil_differentiate(IN_CONSTANTS, values, ut);
      pencil_load(cube + row, 1, BP_NQ, x);
      pencil_differentiate(IN_CONSTANTS, x, y);
      if (CUBES == 3)
        pencil_store(rt + row, 1, BP_NQ, y);
      pencil_load(cube + along_s_cube, BP_NQ, BP_NQ, x);
    }
    if (CUBES == 2)
      BP_BARRIER();
    if (nodes.lives) {
      if (CUBES == 2)
        pencil_store(rt + row, 1, BP_NQ, y);
      pencil_differentiate(IN_CONSTANTS, x, y);
      pencil_store(st + along_s, BP_NQ, BP_NQ, y);
    }
    BP_BARRIER();
    if (at.field == 0)
      bp_mbarrier_wait(&full[1], factors_parity);
    if (b < batch_elements(at.batch, elements)) {
      const double *const f = factors_at(shared, at.batch) + b * BP_COMPONENTS * POINTS_3D + column;
      BP_UNROLL
      for (int n = 0; n < BP_NQ; ++n)
        energy += flux_energy(f + n * BP_COMPONENTS * POINTS_2D, POINTS_2D, lambda,
                              rt + column + n * CUBE_K, st + column + n * ST_K, &ut[n], &values[n]);
    }
    BP_BARRIER();
    if (next.field == 0) {
      factors_parity ^= 1;
      if (bp_thread() == 0)
        factors_load(shared, factors, next.batch, elements, &full[1]);
    }
    if (nodes.lives) { /* the transposed derivatives along r and s */
      pencil_load(rt + row, 1, BP_NQ, x);
      pencil_transposed(IN_CONSTANTS, x, y);
      pencil_store(rt + row, 1, BP_NQ, y);
      pencil_load(st + along_s, BP_NQ, BP_NQ, x);
      pencil_transposed(IN_CONSTANTS, x, y);
      pencil_store(st + along_s, BP_NQ, BP_NQ, y);
    }
    BP_BARRIER();
    if (nodes.lives) { /* along t, and the sum */
      BP_UNROLL
      for (int n = 0; n < BP_NQ; ++n)
        x[n] =
            rt[column + n * CUBE_K] + st[column + n * ST_K] + (BP_COMPONENTS == 7 ? values[n] : 0);
      pencil_add_transposed(IN_CONSTANTS, ut, x);
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
