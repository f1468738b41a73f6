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

/* The same factors, of one element whenever they are needed, for who cannot keep those of all. */
typedef struct bp_factory bp_factory;

/* Looks at all elements, and fails as above. The caller's mesh must outlive the factory. */
bp_status bp_factory_create(const bp_mesh *mesh, const bp_basis *basis, int components,
                            bp_factory **factory);
void bp_factory_destroy(bp_factory *factory); /* NULL is legal */

/* Doubles that a thread has to bring as `buffer`, whose first are then f[c][k][j][i] of element e. */
int64_t bp_factory_buffer(const bp_factory *factory);
void bp_factory_make(const bp_factory *factory, int64_t e, double *buffer);

#endif
