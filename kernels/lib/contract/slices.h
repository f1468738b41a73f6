/* slices.h -- interpolation to a slice of points (c fixed) and projection from it, through two shared slabs p
 * and q. For the ladders. Each call has two barriers, none at its end.
 *
 * size: slice_passes = 2 * nc*nq*nq*nq + 4 * nc*nc*nq*nq + 4 * nc*nc*nc*nq + nc*nq*nq + 2 * nc*nc*nq + nc*nc*nc -- doubles read and of traffic */
#ifndef BP_KERNELS_SLICES_H
#define BP_KERNELS_SLICES_H

#include "lib/contract/ladder.h"

/* The value at (a, b) of slice c. The thread's column of u is u[k * step]. */
BP_DEVICE real slice_to_points(const real *I, const ladder_column *t, int c, const real *u,
                               int step, real *p, real *q)
{
  if (t->is_node)
    p[t->b * ROW + t->a] = dot(BP_NQ, I + c * I_ROW, 1, u, step);
  BP_BARRIER();
  if (t->b < BP_NQ)
    q[t->b * ROW + t->a] = dot(BP_NQ, I + t->a * I_ROW, 1, p + t->b * ROW, 1);
  BP_BARRIER();
  return dot(BP_NQ, I + t->b * I_ROW, 1, q + t->a, ROW);
}

/* Adds what the slice's value gives to the column v[k * step], if the thread has one. */
BP_DEVICE void slice_to_nodes(const real *I, const ladder_column *t, int c, real value, real *p,
                              real *q, bool has_v, real *v, int step)
{
  p[t->b * ROW + t->a] = value;
  BP_BARRIER();
  if (t->b < BP_NQ)
    q[t->b * ROW + t->a] = dot(BP_NC, I + t->b, I_ROW, p + t->a, ROW);
  BP_BARRIER();
  if (has_v)
    add_scaled(BP_NQ, v, step, I + c * I_ROW, dot(BP_NC, I + t->a, I_ROW, q + t->b * ROW, 1));
}

#endif
