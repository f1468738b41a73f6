/* map.h -- elements whose map is a polynomial of few terms: few numbers tell all of their geometry.
 *
 * On [-1,1]^3 x(r,s,t) is a sum of a_m r^i s^j t^k. A geometry (fem/space.h) is which terms there may be:
 *   affine     those of r, s and t. Kernels get the factors without weights, 1, 6 or 7 numbers (problem.h).
 *   trilinear  i, j, k <= 1. Kernels get the coefficients but the constant, a[m - 1][3], m = i + 2 j + 4 k.
 *   quadratic  i, j, k <= 2. The same, m = i + 3 j + 9 k. */
#ifndef BP_FEM_MAP_H
#define BP_FEM_MAP_H

#include "base/random.h"
#include "base/status.h"
#include "fem/space.h"
#include "mesh/mesh.h"

enum { BP_MAP_TERMS = 27 }; /* the most; a geometry uses the first of a[BP_MAP_TERMS][3] */

/* What kernels read of an element, and what they compute beyond what they do with stored factors. */
int bp_map_numbers(bp_element_geometry geometry, int components);
int bp_map_flops(bp_element_geometry geometry, int points);

/* The numbers of a map. */
void bp_map_fill(bp_element_geometry geometry, int components, const double *a, double *numbers);

/* The map of element e without terms that the geometry has not. */
void bp_map_of(bp_element_geometry geometry, const bp_mesh *mesh, int64_t e, double *a);

/* A cube with edges of 2 and a little of every term, so that no two elements are alike. */
void bp_map_random(bp_element_geometry geometry, bp_random *random, double *a);

/* J[d][c][k][j][i] = dx_c/dr_d at n^3 points. */
void bp_map_jacobians(bp_element_geometry geometry, const double *a, int n, const double *point,
                      double *J);

/* The largest distance of a node of element e from where bp_map_of has it, over the length of the element's
 * longest diagonal; elements with more than the tolerance have not the geometry. */
double bp_map_deviation(bp_element_geometry geometry, const bp_mesh *mesh, int64_t e);
#define BP_MAP_TOLERANCE 1e-10

/* Elements that have it. */
int64_t bp_map_count(bp_element_geometry geometry, const bp_mesh *mesh);

/* BP_BAD_INPUT: an element has it not; the message names the first. */
bp_status bp_map_check(bp_element_geometry geometry, const bp_mesh *mesh);

#endif
