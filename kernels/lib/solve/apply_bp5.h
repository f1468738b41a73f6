/* apply_bp5.h -- the kernel with the operator of BP5 and BP6 (also with a mass term): v = A p, p . v by
 * element, and the vectors that a scheme makes on the way (batches.h). A scheme's header goes before it.
 *
 * Persistent blocks. columns_bp5.h has the operator and what it keeps in shared memory; there are also r
 * and p of the next item, which come while this one is computed. The cube of p later takes the surface of
 * v. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP5_H
#define BP_KERNELS_SOLVE_APPLY_BP5_H

#include "lib/solve/columns_bp5.h"

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [2]);
  BP_SHARED(double, buffer, [SUMS_BUFFER]);
  const int b = bp_thread() / POINTS_2D, column = bp_thread() % POINTS_2D;
  const node_column nodes = node_column_of(b, column);
  const vector_slots vectors = vector_slots_of(shared + FACTORS_SLOT, &full[0]);
  double *const cubes = shared + FACTORS_SLOT + VECTORS_SLOT;
  const column_places places = column_places_of(cubes, b, column);
  factor_slot next_factors = {shared, factors, &full[1], 0};

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
  pencil_prefetch_constants(THREADS, PENCIL_D);
  bp_wait_for_previous();
  iteration it = iteration_of(&arrays);
  vectors_load(&vectors, &surface, at, &it);
  surface_ids(&surface, item_after(at), arrays.ids, arrays.first, elements);
  exact_sum energy = {{0}};
  iteration_begin(&it, &arrays, &energy, buffer);

  int parity = 0;
  while (at.batch * ELEMENTS_PER_BLOCK < elements) {
    double x[BP_NQ], values[BP_NQ];
    const item next = item_after(at);
    const item_posts posts = posts_of(&it, at);
    direction(&vectors, &surface, &nodes, at, parity, cubes, &it);
    BP_BARRIER();
    vectors_load(&vectors, &surface, next, &it);
    surface_ids(&surface, item_after(next), arrays.ids, arrays.first, elements);
    exact_add(&energy, columns_apply(&places, nodes.lives, at, next, &next_factors, lambda,
                                     elements, values, x));
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
