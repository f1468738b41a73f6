/* cube.h -- interpolation to the points and projection back through one shared cube per element:
 * each pass loads a pencil to registers, contracts it and stores it back in place. For the ladders.
 *
 * Threads (a, b) of an element, nc x nc. I is in shared memory: all its rows, or with `symmetric`
 * the first half, since I[c][q] = I[nc-1-c][nq-1-q]: one entry loaded then serves two sums.
 *
 * size: i_half = (nc + 1) / 2 * i_row -- of the first half of I
 * size: six_passes = 2 * nq*nc * (nq*nq + nq*nc + nc*nc) + 4 * nq * (nq*nq + nq*nc + nc*nc) -- doubles read and written in shared memory
 * size: six_passes_symmetric = 2 * nq*((nc + 1) / 2) * (nq*nq + nq*nc + nc*nc) + 4 * nq * (nq*nq + nq*nc + nc*nc) -- with half of I */
#ifndef BP_KERNELS_CUBE_H
#define BP_KERNELS_CUBE_H

#include "lib/contract/ladder.h"

#define I_ROWS(symmetric) ((symmetric) ? BP_HALF(BP_NC) : BP_NC)

/* to[c * step] = sum_q I[c][q] from[q] */
BP_DEVICE void interpolate_pencil(bool symmetric, const real *I, const real *from, real *to,
                                  int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < I_ROWS(symmetric); ++c) {
    const bool twice = symmetric && c < BP_NC / 2;
    real sum = 0, mirrored = 0;
    BP_UNROLL_IF(UNROLL)
    for (int q = 0; q < BP_NQ; ++q) {
      const real entry = I[c * I_ROW + q];
      sum += entry * from[q];
      if (twice)
        mirrored += entry * from[BP_NQ - 1 - q];
    }
    to[c * step] = sum;
    if (twice)
      to[(BP_NC - 1 - c) * step] = mirrored;
  }
}

/* to[q * step] = sum_c I[c][q] from[c] */
BP_DEVICE void project_pencil(const real *I, const real *from, real *to, int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int q = 0; q < BP_NQ; ++q)
    to[q * step] = dot(BP_NC, I + q, I_ROW, from, 1);
}

/* The same from the first half of I, by pairs of nodes: two entries loaded serve four products. */
BP_DEVICE void project_pencil_symmetric(const real *I, const real *from, real *to, int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int q = 0; q < (BP_NQ + 1) / 2; ++q) {
    const int p = BP_NQ - 1 - q;
    real sum = 0, mirrored = 0;
    BP_UNROLL_IF(UNROLL)
    for (int c = 0; c < I_ROWS(true); ++c) {
      const bool twice = c < BP_NC / 2;
      const real entry = I[c * I_ROW + q], opposite = p > q ? I[c * I_ROW + p] : entry;
      sum += entry * from[c];
      if (twice)
        sum += opposite * from[BP_NC - 1 - c];
      if (p > q)
        mirrored += opposite * from[c];
      if (p > q && twice)
        mirrored += entry * from[BP_NC - 1 - c];
    }
    to[q * step] = sum;
    if (p > q)
      to[p * step] = mirrored;
  }
}

/* One pass over the pencil at `pencil`, `step` from value to value. */
BP_DEVICE void interpolate_in_place(bool symmetric, const real *I, real *pencil, int step)
{
  real from[BP_NQ];
  move(BP_NQ, from, 1, pencil, step);
  interpolate_pencil(symmetric, I, from, pencil, step);
}

BP_DEVICE void project_to(bool symmetric, const real *I, const real *from, real *pencil, int step)
{
  if (symmetric)
    project_pencil_symmetric(I, from, pencil, step);
  else
    project_pencil(I, from, pencil, step);
}

BP_DEVICE void project_in_place(bool symmetric, const real *I, real *pencil, int step)
{
  real from[BP_NC];
  move(BP_NC, from, 1, pencil, step);
  project_to(symmetric, I, from, pencil, step);
}

/* u of an element, along r, s and t, to the column[nc] of points (a, b). Begins with a barrier
 * after the element is in the cube (the matrices may be loaded before it); leaves nothing in the
 * cube. */
BP_DEVICE void interpolate_element(bool symmetric, const real *I, real *cube,
                                   const ladder_column *t, real *column)
{
  const int a = t->a, b = t->b;
  if (t->is_node)
    move(BP_NQ, cube + b * ROW + a, SLAB, t->u, NODES_2D);
  BP_BARRIER();
  if (t->is_node)
    interpolate_in_place(symmetric, I, cube + b * SLAB + a * ROW, 1);
  BP_BARRIER();
  if (b < BP_NQ)
    interpolate_in_place(symmetric, I, cube + b * SLAB + a, ROW);
  BP_BARRIER();
  real nodes[BP_NQ];
  move(BP_NQ, nodes, 1, cube + b * ROW + a, SLAB);
  interpolate_pencil(symmetric, I, nodes, column, 1);
}

/* The way back, along t, s and r. The result goes through the cube once more, so that v is written
 * in whole rows by the threads of a row. `column` is that of the thread; nobody else may use the
 * cube. */
BP_DEVICE void project_element(bool symmetric, const real *I, real *cube, const ladder_column *t,
                               const real *column)
{
  const int a = t->a, b = t->b;
  project_to(symmetric, I, column, cube + b * ROW + a, SLAB);
  BP_BARRIER();
  if (b < BP_NQ)
    project_in_place(symmetric, I, cube + b * SLAB + a, ROW);
  BP_BARRIER();
  if (t->is_node)
    project_in_place(symmetric, I, cube + b * SLAB + a * ROW, 1);
  BP_BARRIER();
  if (t->stores)
    move(BP_NQ, t->v, NODES_2D, cube + b * ROW + a, SLAB);
}

#endif
