/* solve/two-pass -- conjugate gradients in two passes over the vectors, one element per SIMD lane
 *
 * operators: bp1, bp3, bp5
 * scratch:  lanes * (group + 2 * nq*nq*nq) + (elements / sms + lanes + 2) * (6 * nq*nq + 8) / 2
 * operands: I D factors rule scratch ids first starts copied f diagonal x residuals r p ap copies state counts stride inner
 * option:   history 2..16 = 4 -- directions p that are kept: x is updated every so many iterations
 * bytes:    8 * jacobi * unknowns + fields * (64 * unknowns + 16 * unknowns / history) + elements * (4 * surface_nodes + 8 * element_factors)
 * start:    start
 * launch:   apply
 * launch:   update
 * finish:   finish
 *
 * Sums and v are added up in a fixed order: the same bits every time with as many threads. */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/solve/host_OPERATOR.h"

#include "lib/solve/host_two_pass.h"
