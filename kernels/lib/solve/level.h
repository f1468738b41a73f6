/* level.h -- A p of unknowns without an iteration around it: to v inside elements, where each unknown has one
 * node, and to copies on surfaces. To be included before the kernel `apply`.
 *
 * size: scheme = 6 -- a level
 * size: history = 1 -- no directions
 * size: vectors = 1 -- that come with an item: p */
#ifndef BP_KERNELS_SOLVE_LEVEL_H
#define BP_KERNELS_SOLVE_LEVEL_H

#include "lib/solve/batches.h"

BP_DEVICE iteration iteration_of(const solve_arrays *a)
{
  iteration it = {0};
  it.r_before = it.p_before = a->p;
  it.v = a->ap;
  it.copies = a->copies;
  it.stride = a->stride;
  it.elements = a->elements;
  return it;
}

BP_DEVICE void iteration_end(const iteration *it, const solve_arrays *a, const exact_sum *energy,
                             double *buffer)
{
  (void)it, (void)a, (void)energy, (void)buffer;
}

#endif
