/* trilinear.h -- elements whose map is trilinear: eight vertices tell all of their geometry.
 *
 * On [-1,1]^3 x(r,s,t) = a0 + a1 r + a2 s + a3 t + a4 rs + a5 rt + a6 st + a7 rst. Kernels that compute
 * the factors themselves get a1 .. a7 of each element, x, y and z of each: shape[7][3]. */
#ifndef BP_FEM_TRILINEAR_H
#define BP_FEM_TRILINEAR_H

#include "base/random.h"
#include "base/status.h"
#include "mesh/mesh.h"

enum { BP_TRILINEAR_SHAPE = 21 };

void bp_trilinear_shape(const bp_mesh *mesh, int64_t e, double *shape);

/* A cube with edges of 2 whose vertices are moved, so that no two are alike. */
void bp_trilinear_random(bp_random *random, double *shape);

/* J[d][c][k][j][i] = dx_c/dr_d at n^3 points. */
void bp_trilinear_jacobians(const double *shape, int n, const double *point, double *J);

/* The largest distance of a node of element e from where the trilinear map of its vertices has it, over
 * the length of the element's longest diagonal. */
double bp_trilinear_deviation(const bp_mesh *mesh, int64_t e);

/* Elements with a larger deviation are not trilinear. */
#define BP_TRILINEAR_TOLERANCE 1e-10

/* Elements that are. */
int64_t bp_trilinear_count(const bp_mesh *mesh);

/* BP_BAD_INPUT: an element is not; the message names the first. */
bp_status bp_trilinear_check(const bp_mesh *mesh);

#endif
