/* solve/one-pass -- conjugate gradients in one pass over the vectors, one element per SIMD lane
 *
 * operators: bp1, bp3, bp5
 * scratch:  lanes * (group + 2 * nq*nq*nq) + (elements / sms + lanes + 2) * (16 / real + 2 * fields) * (nq*nq*nq - (nq-2)*(nq-2)*(nq-2)) + 8 / real * (24 + 14 * (elements / sms + 2 * lanes))
 * operands: I D factors rule scratch ids first starts f diagonal x residuals r p ap state counts stride inner
 * size:     history = 1 -- directions p that are kept
 * bytes:    real * (jacobi * (2 * unknowns - inner) + fields * (7 * unknowns + unknowns - inner)) + elements * (4 * surface_nodes + stored * element_factors)
 * start:    start
 * launch:   pass
 * launch:   join
 * launch:   collect
 * finish:   finish
 * finish:   total
 *
 * Sums and v are added up in a fixed order: the same bits every time with as many threads. */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/solve/host_OPERATOR.h"

#include "lib/solve/host_one_pass.h"
