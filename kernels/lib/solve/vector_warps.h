/* vector_warps.h -- warps of their own move the vectors, an element at a time, while the other warps compute.
 *
 *   warps 0..warps-1                            the other vector_warps                        shared memory
 *   --------------------------------------- elements_meet ------------------------------------------------
 *   boundary: p of this element to the cubes                                                  p_cube -> cubes
 *             of values, v of the one before back                                             cubes -> v_cube
 *   --------------------------------------- elements_meet ------------------------------------------------
 *   slices of this element                      element_out: v of the one before to memory    v_cube
 *                                               element_load: r, p of the next one            -> v_cube, p_cube
 *                                               element_direction: p = r + beta p             p_cube
 *
 * option: warps 1..17 = 8 -- warps of a block that compute
 * option: vector_warps 2..8 = 4 -- and that move vectors
 * option: slots 1..17 = 6 -- slices of factors in shared memory at once
 * option: blocks_per_sm 1..8 = 1 -- blocks with the operator that share a multiprocessor
 * size: elements_per_block = 1 -- elements of a batch
 * size: block_threads = 32 * (warps + vector_warps) -- of a block
 * size: slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * size: threads = 32 * vector_warps -- that move the vectors
 * size: cube_k = nq*nq -- from plane to plane of p and v
 * size: cube = nq*nq*nq -- of an element of p and v */
#ifndef BP_KERNELS_SOLVE_VECTOR_WARPS_H
#define BP_KERNELS_SOLVE_VECTOR_WARPS_H

#include "lib/solve/elements.h"

/* By all warps. */
BP_DEVICE void elements_meet()
{
  BP_GROUP_BARRIER(1, BLOCK_THREADS);
}

/* By the warps that move vectors, all elements of the block; r and p of the first one have been asked
 * for, and the ids of the second. */
BP_DEVICE void elements_move(iteration *it, const int *ids, const int *first, real *v_cube,
                             real *p_cube, surface_nodes *s)
{
  item before = {-1, 0}, at = {(int)blockIdx.x, 0};
  for (;;) {
    const item next = item_after(at);
    const item_posts posts = posts_of(it, before);
    if (at.batch < it->elements)
      element_direction(v_cube, p_cube, s, at, it);
    elements_meet();
    elements_meet();
    if (before.batch >= 0) {
      element_out(v_cube, s, before, it);
      posts_send(&posts, s->thread, before, it);
    }
    if (at.batch >= it->elements)
      return;
    element_load(v_cube, p_cube, s, next, it);
    surface_ids(s, item_after(next), ids, first, it->elements);
    before = at;
    at = next;
  }
}

#endif
