/* apply_pencils.h -- the kernel with the operator, where a thread owns a pencil in each direction in turn:
 * v = A p, p . v by element, and the vectors that a scheme makes on the way (batches.h).
 *
 * Persistent blocks. In shared memory: the factors of a batch; r and p of the next item, which come while
 * this one is computed; then what the operator wants. Who includes this has said before
 *   OPERATOR_MATRICES    which matrices pencils need
 *   operator_places, operator_places_of(buffers, b, pencil)
 *                        a thread's places in what the operator wants; .cubes: p, later the surface of v
 *   operator_apply       by all threads, after a barrier: x becomes the thread's column of v = A p, p comes
 *                        from the cubes; waits for the factors, asks for the next item's; adds the thread's
 *                        part of p . v
 *
 * option: elements_per_block 1..64 = 1 -- elements of a batch
 * option: blocks_per_sm 1..32 = 1 -- blocks of apply that share a multiprocessor
 * option: atomic 0..1 = 0 -- surface nodes of v are added by atomic operations
 * size: block_threads = threads -- of a block of apply
 * size: in_l2 = 0 -- 1: what passes between pencils lies behind all else in scratch, where shared memory is small
 * size: apply_shared = factors_slot + vectors_slot + (in_l2 ? 2 : exchanged) + inside_room -- doubles of shared memory; never none, as that is not declared then */
#ifndef BP_KERNELS_SOLVE_APPLY_PENCILS_H
#define BP_KERNELS_SOLVE_APPLY_PENCILS_H

/* The block's part of scratch. */
BP_DEVICE real *exchanged_in_l2(const solve_arrays *a)
{
  return a->scratch + (UNFUSED ? 2 * (size_t)BP_FIELDS * a->elements * NODES_3D : 0) +
         (size_t)blockIdx.x * EXCHANGED;
}

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  BP_SHARED(bp_mbarrier, full, [2]);
  BP_SHARED(double, buffer, [SUMS_BUFFER]);
  const int b = bp_thread() / POINTS_2D, pencil = bp_thread() % POINTS_2D;
  const node_column nodes = node_column_of(b, pencil);
  const vector_slots vectors = vector_slots_of(shared + FACTORS_SLOT, &full[0]);
  SOLVE_ARRAYS(arrays);
  real *const exchanged = IN_L2 ? exchanged_in_l2(&arrays) : shared + FACTORS_SLOT + VECTORS_SLOT;
  const operator_places places = operator_places_of(exchanged, b, pencil);
  factor_slot next_factors = {(stored *)shared, factors, &full[1], 0};

  /* the first batch's factors, r, p, and the ids of the second are on their way */
  surface_nodes surface;
  item at = {(int)blockIdx.x, 0};
  bp_let_next_begin();
  slots_start(full, 2);
  if (bp_warp() == 0)
    factors_load(next_factors.slot, factors, at.batch, elements, &full[1]);
  surface_start(&surface, bp_thread());
  surface_ids(&surface, at, arrays.ids, arrays.first, elements);
  pencil_prefetch_constants(THREADS, OPERATOR_MATRICES);
  bp_wait_for_previous();
  iteration it = iteration_of(&arrays);
  it.inside_slots = (int *)(shared + APPLY_SHARED - INSIDE_ROOM);
  inside_numbers(&it, &nodes, at);
  if (MAPPED)
    BP_ASYNC_WAIT(0);
  vectors_load(&vectors, &surface, &nodes, at, &it);
  surface_ids(&surface, item_after(at), arrays.ids, arrays.first, elements);
  inside_numbers(&it, &nodes, item_after(at));
  exact_sum energy = {{0}};
  iteration_begin(&it, &arrays, &energy, buffer);

  int parity = 0;
  while (at.batch * ELEMENTS_PER_BLOCK < elements) {
    real x[BP_NQ];
    const item next = item_after(at);
    const item_posts posts = posts_of(&it, at);
    direction(&vectors, &surface, &nodes, at, parity, places.cubes, &it);
    BP_BARRIER();
    vectors_load(&vectors, &surface, &nodes, next, &it);
    surface_ids(&surface, item_after(next), arrays.ids, arrays.first, elements);
    inside_numbers(&it, &nodes, item_after(next));
    operator_apply(&places, &nodes, at, next, &next_factors, lambda, elements, &energy, x);
    column_out(&nodes, at, x, places.cubes, &it);
    BP_BARRIER();
    surface_finish(&surface, at, places.cubes, &it);
    posts_send(&posts, bp_thread(), at, &it);
    at = next;
    parity ^= 1;
  }
  BP_BARRIER();
  iteration_end(&it, &arrays, &energy, buffer);
}

#endif
