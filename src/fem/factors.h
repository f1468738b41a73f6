/* factors.h -- the geometric factors of an operator on a mesh. */
#ifndef BP_FEM_FACTORS_H
#define BP_FEM_FACTORS_H

#include "base/status.h"
#include "fem/basis.h"
#include "mesh/mesh.h"

/* factors[e][c][k][j][i], c < components (1 or 7), at the points of `basis`: see problem.h for what
 * they are and for the failure. The caller owns `factors`; each page of it is first written by the
 * thread that a static schedule over the elements gives it to. */
bp_status bp_factors_compute(const bp_mesh *mesh, const bp_basis *basis, int components,
                             double *factors);

#endif
