/* bounds.h -- how large the sums of a solve can get: what exact sums need to know
 * (kernels/lib/solve/exact.h). */
#ifndef BP_SOLVE_BOUNDS_H
#define BP_SOLVE_BOUNDS_H

#include "solve/system.h"

enum { BP_BOUNDS = 4 };

/* bounds[0] >= f . f, bounds[1] >= the largest eigenvalue of A, bounds[2]: a power of two, at least the
 * number of values of a vector over all elements. With a diagonal (else NULL) the first is f . f / diagonal,
 * the second of A / diagonal, and bounds[3] the diagonal's largest entry. The same on all ranks and for
 * every partition. Together. */
void bp_bounds(const bp_system *system, const double *f, const double *diagonal,
               double bounds[BP_BOUNDS]);

#endif
