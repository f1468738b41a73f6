/* solve/unfused -- conjugate gradients in parts, each through memory: what most codes do
 *
 * operators: bp1, bp3, bp5
 * scratch:  lanes * group
 * operands: I D factors rule scratch ids first starts copied f diagonal x residuals r p ap state counts stride inner local_u local_v
 * size:     history = 1 -- directions p that are kept
 * bytes:    8 * jacobi * unknowns + fields * (104 * unknowns + 4 * (unknowns - inner) + elements * (32 * nq*nq*nq + 8 * surface_nodes)) + elements * 8 * element_factors
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
