/* vtu.h -- a scalar field as VTK's XML with one Lagrange hexahedron of degree N per element, as ParaView
 * reads it.
 *
 * VTK's points are equally spaced in an element, so the field, a polynomial there, is evaluated anew at
 * such points; elements share them as they share unknowns. */
#ifndef BP_SOLVE_VTU_H
#define BP_SOLVE_VTU_H

#include "solve/system.h"

/* Component 0 of u. BP_ENVIRONMENT where the file cannot be written. */
bp_status bp_vtu_write(const char *path, const bp_system *system, const char *name,
                       const double *u);

#endif
