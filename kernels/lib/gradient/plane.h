/* plane.h -- derivatives at the points of a plane of an element that is a tensor product, by one thread.
 * After operators.h. */
#ifndef BP_KERNELS_GRADIENT_PLANE_H
#define BP_KERNELS_GRADIENT_PLANE_H

#include "lib/gradient/element.h"

/* sum over m of matrix[row][m] x[m * step] */
#define LINE_SUM(sum, matrix, row, x, step)                                                        \
  double sum = 0;                                                                                  \
  BP_UNROLL                                                                                        \
  for (int m = 0; m < LINE; ++m)                                                                   \
  sum += matrix[row][m] * (x)[m * (step)]

/* Of points (i, j): along s for all columns, then along r. Of hexahedra plane by plane after t. */
BP_DEVICE void differentiate_plane(const double *along, const double *x, int f, int points,
                                   double *row)
{
  BP_UNROLL
  for (int j = 0; j < LINE; ++j) {
    double value[LINE], slope[LINE], other[LINE];
    BP_UNROLL
    for (int a = 0; a < LINE; ++a) {
      LINE_SUM(i_s, bp_I, j, x + a, LINE);
      LINE_SUM(d_s, bp_DI, j, x + a, LINE);
      value[a] = i_s;
      slope[a] = d_s;
      if (DIM == 3) {
        LINE_SUM(i_t, bp_I, j, along + a, LINE);
        other[a] = i_t;
      }
    }
    BP_UNROLL
    for (int i = 0; i < LINE; ++i) {
      double *const to = row + ((points + j * LINE + i) * BP_FIELDS + f) * DIM;
      LINE_SUM(dr, bp_DI, i, value, 1);
      LINE_SUM(ds, bp_I, i, slope, 1);
      to[0] = dr;
      to[1] = ds;
      if (DIM == 3) {
        LINE_SUM(dt, bp_I, i, other, 1);
        to[DIM - 1] = dt;
      }
    }
  }
}

#endif
