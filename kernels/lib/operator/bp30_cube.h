/* bp30_cube.h -- BP3.0 with a thread per column in t: three passes through a shared cube to the points, the
 * operator there slice by slice, three passes back. The ladder's rungs differ in `how`.
 *
 *   shared memory:  I or half of it | D | its transpose | per element: cube, slabs
 *
 * size element_slabs of a rung's header: slabs of shared memory per element, the cube's included. */
#ifndef BP_KERNELS_BP30_CUBE_H
#define BP_KERNELS_BP30_CUBE_H

#include "lib/contract/cube.h"
#include "lib/operator/ladder_gradient.h"

/* More choices beside those of ladder_gradient.h. */
enum {
  I_SYMMETRIC = 8,   /* half of I serves all six passes */
  D_TRANSPOSED = 16, /* the transpose of D is in shared memory, too */
  SLABS_IN_CUBE = 32 /* the cube's first slices are the slabs between the passes */
};

BP_DEVICE void apply_through_cube(int how, real *shared, int elements, real lambda, const real *I,
                                  const real *D, const real *factors, const real *u, real *v)
{
  const ladder_column t = ladder_column_of(elements, u, factors, v);
  const bool symmetric = how & I_SYMMETRIC, by_slice = how & VALUES_BY_SLICE;
  real *s_I = shared, *s_D = s_I + I_ROWS(symmetric) * I_ROW, *s_T = s_D + SLAB;
  real *cube = (how & D_TRANSPOSED ? s_T + SLAB : s_T) + threadIdx.z * ELEMENT_SLABS * SLAB;
  real *slabs = how & SLABS_IN_CUBE ? cube : cube + CUBE;
  const ladder_derivative d = {s_D, s_T, how & D_TRANSPOSED, BP_NC, ROW};
  real value[BP_NC], sum[BP_NC];
  clear(BP_NC, sum, 1);
  load_matrix(s_I, I_ROW, I, I_ROWS(symmetric), BP_NQ);
  load_matrix(s_D, ROW, D, BP_NC, BP_NC);
  if (how & D_TRANSPOSED)
    load_transposed(s_T, ROW, D, BP_NC, BP_NC);
  interpolate_element(symmetric, s_I, cube, &t, value);
  if (!by_slice)
    move(BP_NC, cube + t.b * ROW + t.a, SLAB, value, 1);
  if (!by_slice || how & SLABS_IN_CUBE)
    BP_BARRIER();
  apply_slices(how, &d, &t, lambda, by_slice ? slabs : cube, by_slice ? slabs + SLAB : slabs, value,
               1, sum, 1);
  if (how & (FLUX_IN_PLACE | SLABS_IN_CUBE))
    BP_BARRIER();
  project_element(symmetric, s_I, cube, &t, sum);
}

#endif
