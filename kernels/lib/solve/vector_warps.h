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
 * A kernel file has the options warps and vector_warps, at least 2, and the size block_threads.
 *
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

/* The vectors of a launch: r and p of the iteration before come in, p and v go out. */
typedef struct {
  const double *r, *p_before;
  double *p, *v, *copies;
  size_t stride;
  int elements;
} element_vectors;

/* By the warps that move vectors, all elements of the block; r and p of the first one have been asked
 * for, and the ids of the second. */
BP_DEVICE void elements_move(const element_vectors *a, const int *ids, const int *first,
                             double beta, double *v_cube, double *p_cube, surface_nodes *s)
{
  item before = {-1, 0}, at = {(int)blockIdx.x, 0};
  for (;;) {
    const item next = item_after(at);
    if (at.batch < a->elements)
      element_direction(v_cube, p_cube, s, at, beta, a->p, a->stride);
    elements_meet();
    elements_meet();
    if (before.batch >= 0)
      element_out(v_cube, s, before, a->v, a->copies, a->stride, a->elements);
    if (at.batch >= a->elements)
      return;
    element_load(v_cube, p_cube, s, next, a->r, a->p_before, a->stride, a->elements);
    surface_ids(s, item_after(next), ids, first, a->elements);
    before = at;
    at = next;
  }
}

#endif
