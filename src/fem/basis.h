/* basis.h -- the one-dimensional matrices of an operator at degree N. */
#ifndef BP_FEM_BASIS_H
#define BP_FEM_BASIS_H

#include "fem/quadrature.h"
#include "fem/space.h"
#include <stdbool.h>

enum { BP_DEGREE_MAX = 15 };

typedef struct {
  int degree;                              /* N, 1..15 */
  int nq;                                  /* nodes per direction, N+1 (Lobatto) */
  int nc;                                  /* quadrature points per direction */
  bool collocated;                         /* the points are the nodes */
  double node[BP_POINTS_MAX];              /* node[nq] */
  double point[BP_POINTS_MAX];             /* point[nc] */
  double weight[BP_POINTS_MAX];            /* weight[nc] */
  double I[BP_POINTS_MAX * BP_POINTS_MAX]; /* I[c][q], row length nq: nodal values -> points */
  double D[BP_POINTS_MAX *
           BP_POINTS_MAX]; /* D[a][b], row length nc: values at points -> derivatives */
} bp_basis;

void bp_basis_create(bp_basis *basis, bp_space space);

/* m[b][a], row length `from`: the value (or derivative) at to_points[b] of the Lagrange polynomial
 * of from_points[a]. Barycentric, so safe for points that coincide. */
void bp_basis_interpolate(int from, const double *from_points, int to, const double *to_points,
                          double *m);
void bp_basis_differentiate(int from, const double *from_points, int to, const double *to_points,
                            double *m);

#endif
