/* wave2d.h -- the wave equation by finite differences on a grid of S x S points, 0 around it:
 *
 *   next = 2 now - before + (left + right + below + above - 4 now) / 4
 *
 * An element of the problem is such a grid, its fields are S. u[grid][now, before][j][i]; an iteration is two steps,
 * from each of two arrays to the other, so that v[grid][now, before][j][i] is as u after all. */
#ifndef BP_FEM_WAVE2D_H
#define BP_FEM_WAVE2D_H

#include "fem/problem.h"

/* problem->iterations of them, literally, in extended precision, for elements first .. last-1; u and v
 * begin with the first. Parallel. */
void bp_wave2d_reference(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                         double *v);

#endif
