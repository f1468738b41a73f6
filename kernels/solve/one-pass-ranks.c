/* solve/one-pass-ranks -- one-pass by any number of ranks: the same bits with all of them
 *
 * operators: bp1, bp3, bp5
 * scratch:  lanes * (group + 2 * nq*nq*nq) + (elements / sms + lanes + 2) * (16 / real + 2 * fields) * (nq*nq*nq - (nq-2)*(nq-2)*(nq-2)) + 8 / real * (24 + 14 * (elements / sms + 2 * lanes))
 * operands: I D factors rule scratch ids first starts copied bounds halo f diagonal x residuals r p ap copies inbox state counts stride inner
 * size:     history = 1 -- directions p that are kept
 * size:     exact_sums = 1 -- that no order changes
 * bytes:    real * (jacobi * (2 * unknowns - inner) + fields * (7 * unknowns + unknowns - inner)) + elements * (4 * surface_nodes + stored * element_factors)
 * start:    start
 * launch:   pass; then exchange
 * launch:   join; then sums
 * launch:   collect
 * finish:   finish; then sums
 * finish:   total
 *
 * Sums are exact, and v is added up in the order of the whole mesh: no number of threads or ranks changes a bit. */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/solve/host_OPERATOR.h"

#include "lib/solve/host_one_pass.h"
