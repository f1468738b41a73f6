/* cube.h -- interpolation to the points and projection back through one shared cube per element:
 * each pass loads a pencil to registers, contracts it and stores it back in place. For the ladders.
 *
 * Threads (a, b) of an element, nc x nc. I is in shared memory: all its rows, or with `symmetric`
 * the first half, since I[c][q] = I[nc-1-c][nq-1-q]: one entry loaded then serves two sums. */
#ifndef BP_KERNELS_CUBE_H
#define BP_KERNELS_CUBE_H

#include "lib/contract/ladder.h"

#define BP_CUBE      (BP_NC * BP_NC * BP_ROW(BP_NC))
#define BP_I_ROWS(s) ((s) ? (BP_NC + 1) / 2 : BP_NC)

typedef double cube_slab[BP_NC][BP_ROW(BP_NC)];

/* to[c * step] = sum_q I[c][q] from[q] */
BP_DEVICE void interpolate_pencil(bool symmetric, interpolation_row *I, const double *from,
                                  double *to, int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_I_ROWS(symmetric); ++c) {
    const bool twice = symmetric && c < BP_NC / 2;
    double sum = 0, mirrored = 0;
    BP_UNROLL_IF(UNROLL)
    for (int q = 0; q < BP_NQ; ++q) {
      const double entry = I[c][q];
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
BP_DEVICE void project_pencil(interpolation_row *I, const double *from, double *to, int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int q = 0; q < BP_NQ; ++q)
    to[q * step] = dot(BP_NC, &I[0][q], BP_ROW(BP_NQ), from, 1);
}

/* The same from the first half of I, by pairs of nodes: two entries loaded serve four products. */
BP_DEVICE void project_pencil_symmetric(interpolation_row *I, const double *from, double *to,
                                        int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int q = 0; q < (BP_NQ + 1) / 2; ++q) {
    const int p = BP_NQ - 1 - q;
    double sum = 0, mirrored = 0;
    BP_UNROLL_IF(UNROLL)
    for (int c = 0; c < BP_I_ROWS(true); ++c) {
      const bool twice = c < BP_NC / 2;
      const double entry = I[c][q], opposite = p > q ? I[c][p] : entry;
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
BP_DEVICE void interpolate_in_place(bool symmetric, interpolation_row *I, double *pencil, int step)
{
  double from[BP_NQ];
  move(BP_NQ, from, 1, pencil, step);
  interpolate_pencil(symmetric, I, from, pencil, step);
}

BP_DEVICE void project_to(bool symmetric, interpolation_row *I, const double *from, double *pencil,
                          int step)
{
  if (symmetric)
    project_pencil_symmetric(I, from, pencil, step);
  else
    project_pencil(I, from, pencil, step);
}

BP_DEVICE void project_in_place(bool symmetric, interpolation_row *I, double *pencil, int step)
{
  double from[BP_NC];
  move(BP_NC, from, 1, pencil, step);
  project_to(symmetric, I, from, pencil, step);
}

/* u of an element, along r, s and t, to the column[nc] of points (a, b). Begins with a barrier
 * after the element is in the cube (the matrices may be loaded before it); leaves nothing in the
 * cube. */
BP_DEVICE void interpolate_element(bool symmetric, interpolation_row *I, cube_slab *cube,
                                   const double *u, double *column)
{
  const int a = threadIdx.x, b = threadIdx.y, slab = BP_NC * BP_ROW(BP_NC);
  if (a < BP_NQ && b < BP_NQ)
    move(BP_NQ, &cube[0][b][a], slab, u + b * BP_NQ + a, BP_NQ * BP_NQ);
  BP_BARRIER();
  if (a < BP_NQ && b < BP_NQ)
    interpolate_in_place(symmetric, I, cube[b][a], 1);
  BP_BARRIER();
  if (b < BP_NQ)
    interpolate_in_place(symmetric, I, &cube[b][0][a], BP_ROW(BP_NC));
  BP_BARRIER();
  double nodes[BP_NQ];
  move(BP_NQ, nodes, 1, &cube[0][b][a], slab);
  interpolate_pencil(symmetric, I, nodes, column, 1);
}

/* The way back, along t, s and r. The result goes through the cube once more, so that v is written
 * in whole rows by the threads of a row. `column` is that of the thread; nobody else may use the
 * cube. */
BP_DEVICE void project_element(bool symmetric, interpolation_row *I, cube_slab *cube,
                               const double *column, bool stores, double *v)
{
  const int a = threadIdx.x, b = threadIdx.y, slab = BP_NC * BP_ROW(BP_NC);
  project_to(symmetric, I, column, &cube[0][b][a], slab);
  BP_BARRIER();
  if (b < BP_NQ)
    project_in_place(symmetric, I, &cube[b][0][a], BP_ROW(BP_NC));
  BP_BARRIER();
  if (a < BP_NQ && b < BP_NQ)
    project_in_place(symmetric, I, cube[b][a], 1);
  BP_BARRIER();
  if (a < BP_NQ && b < BP_NQ && stores)
    move(BP_NQ, v + b * BP_NQ + a, BP_NQ * BP_NQ, &cube[0][b][a], slab);
}

#endif
