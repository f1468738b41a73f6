/* wave2d.h -- the wave equation by finite differences on a grid of S x S points, 0 around it:
 *
 *   next = 2 now - before + (left + right + below + above - 4 now) / 4
 *
 * An element of the problem is such a grid, its fields are S. u[grid][now, before][j][i]; an iteration is two steps,
 * from each of two arrays to the other, so that v[grid][now, before][j][i] is as u after all. */
#ifndef BP_FEM_WAVE2D_H
#define BP_FEM_WAVE2D_H

#include "fem/operator.h"

extern const bp_operator bp_operator_wave2d;

#endif
