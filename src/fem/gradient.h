/* gradient.h -- derivatives at quadrature points on elements of four shapes, in reference coordinates:
 * what comes before any geometry.
 *
 *   v[e][q][f][d] = sum over n of dN_n/dxi_d (q) u[gather[e][n]][f]
 *
 * H1 elements of degree 1 to 3 with as many points as nodes. Quadrilaterals and hexahedra: tensor
 * products of Lobatto nodes and Gauss points on [-1, 1], the index along r fastest. Triangles and
 * tetrahedra: the unit simplex; nodes are the vertices, those of Lobatto along edges, centroids of faces;
 * points are the lattice of nodes, moved inwards. Both are ordered by their indices (i, j, k) with i + j
 * + k <= degree, i fastest. */
#ifndef BP_FEM_GRADIENT_H
#define BP_FEM_GRADIENT_H

#include "fem/problem.h"

enum { BP_GRADIENT_DEGREE_MAX = 3 };

/* A generated mesh: cells of a grid, each split into as many elements as the shape needs. */
typedef struct {
  bp_cell shape;
  int64_t elements; /* the first ones of the cells */
  int64_t cells[3];
} bp_grid;

int bp_grid_split(bp_cell shape); /* elements of a cell: 2, 1, 6, 1 */
bp_grid bp_grid_of(bp_cell shape, int64_t elements);
int64_t bp_grid_nodes(const bp_grid *grid, int degree);

/* gather[e][n]: node n of element e, lines of the lattice along x fastest. Parallel. */
void bp_grid_gather(const bp_grid *grid, int degree, int *gather);

/* The same of a mesh's elements: vertices, then nodes of edges, faces and elements. */
int64_t bp_cells_nodes(const bp_cells *cells, int degree);
void bp_cells_gather(const bp_cells *cells, int degree, int *gather);

/* Derivatives of all shape functions at all points, table[q][d][n]. */
void bp_gradient_table(bp_space space, long double *table);

/* What kernels get: that table of a simplex, else the derivatives of the polynomials in one direction at
 * the Gauss points, table[c][q]. And how many doubles that are. */
int bp_gradient_table_count(bp_space space);
void bp_gradient_kernel_table(bp_space space, double *table);

/* Coordinates of the nodes, and of the points: x[n][d]. */
void bp_gradient_nodes(bp_space space, long double *x);
void bp_gradient_points(bp_space space, long double *x);

/* v of elements first..last-1, literally, in extended precision. Parallel. */
void bp_gradient_reference(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                           double *v);

/* The same with all derivatives of shape functions taken by their size. */
void bp_gradient_magnitude(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                           double *v);

#endif
