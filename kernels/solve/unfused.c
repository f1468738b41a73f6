/* solve/unfused -- conjugate gradients in parts, each through memory: what most codes do
 *
 * operators: bp1, bp3, bp5
 * scratch:  lanes * group
 * operands: I D factors rule scratch ids first starts copied f diagonal x residuals r p ap state counts stride inner local_u local_v
 * size:     history = 1 -- directions p that are kept
 * bytes:    real * (jacobi * unknowns + fields * (13 * unknowns + 4 * elements * nq*nq*nq)) + fields * (4 * (unknowns - inner) + 8 * elements * surface_nodes) + elements * stored * element_factors
 * start:    start
 * launch:   direction
 * launch:   to_elements
 * launch:   operators
 * launch:   from_elements
 * launch:   product
 * launch:   update
 * finish:   finish
 *
 * Sums are added up in a fixed order: the same bits every time with as many threads. */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/solve/host_OPERATOR.h"

#include "lib/solve/host_unfused.h"
