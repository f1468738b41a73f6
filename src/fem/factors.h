/* factors.h -- the geometric factors of an operator on a mesh. */
#ifndef BP_FEM_FACTORS_H
#define BP_FEM_FACTORS_H

#include "base/status.h"
#include "fem/basis.h"
#include "mesh/mesh.h"

/* Makes an element's factors f[c][k][j][i], c < components (1, 6 or 7), at the points of `basis`, whenever
 * they are needed: see problem.h for what they are. */
typedef struct bp_factory bp_factory;

/* The same from J[d][c][k][j][i] = dx_c/dr_d at the points. */
void bp_factors_of(const bp_basis *basis, int components, const double *J, double *f);

/* Looks at all elements, in parallel, and fails as problem.h says. The caller's mesh must outlive the
 * factory. */
bp_status bp_factory_create(const bp_mesh *mesh, const bp_basis *basis, int components,
                            bp_factory **factory);
void bp_factory_destroy(bp_factory *factory); /* NULL is legal */

/* Doubles that a thread has to bring as `buffer`, whose first are then f[c][k][j][i] of element e. */
int64_t bp_factory_buffer(const bp_factory *factory);
const bp_mesh *bp_factory_mesh(const bp_factory *factory);
void bp_factory_make(const bp_factory *factory, int64_t e, double *buffer);

#endif
