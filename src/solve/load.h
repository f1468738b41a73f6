/* load.h -- right-hand sides: of a known solution, of a constant, from a file; and how far a solution
 * is from the known one.
 *
 * The known solution u* is smooth and differs between components. Where the row is Dirichlet's it
 * vanishes on the sides of the mesh's bounding box, so on the boundary of a box; elsewhere it has values
 * on the boundary and slopes across it. The load is b(v) = a(u*, v) by quadrature with the exact u*
 * and its gradient, so natural boundaries need nothing more; the values of u* at fixed unknowns are
 * moved to the right-hand side, f = b - A g, so that A u = f holds with u = 0 at fixed unknowns. */
#ifndef BP_SOLVE_LOAD_H
#define BP_SOLVE_LOAD_H

#include "solve/system.h"
#include <stdbool.h>

typedef enum { BP_LOAD_MANUFACTURED, BP_LOAD_CONSTANT } bp_load_kind;

/* f[c][n], 0 at fixed unknowns. BP_LOAD_CONSTANT: the load of a force 1 in every component. Parallel,
 * the same for every number of threads. */
void bp_load_create(bp_system *system, bp_load_kind kind, double *f);

/* From a .npy of shape (unknowns) or (unknowns, 3). BP_BAD_INPUT for another shape and for numbers
 * that are not finite; what stands at fixed unknowns is taken as 0. */
bp_status bp_load_read(const bp_system *system, const char *path, double *f);

/* "manufactured", "constant", or a path of such a file. */
bp_status bp_load_named(bp_system *system, const char *name, double *f);
bool bp_load_has_solution(const char *name);

/* BP_BAD_INPUT: a file that cannot be opened. */
bp_status bp_load_check(const char *name);

/* The norm in L2 of u + g - u*, over all components, and of u* itself. */
typedef struct {
  double error, norm;
} bp_load_error;
bp_load_error bp_load_compare(bp_system *system, const double *u);

#endif
