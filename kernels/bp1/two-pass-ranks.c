/* bp1/two-pass-ranks -- two-pass, with the same bits for any number of ranks, one element per SIMD lane
 *
 * degrees:  1..15
 * points:   1..5
 * factors:  eckjil
 * scratch:  lanes * (nc * (nq*nq + 1) + nc*nc + nq*nc + 2 * nq*nq*nq) + (elements / sms + lanes + 2) * (6 * nq*nq + 8) / 2
 * operands: I D factors scratch ids first starts copied bounds halo f x residuals r p ap copies inbox state counts stride inner
 * option:   history 2..16 = 4 -- directions p that are kept: x is updated every so many iterations
 * bytes:    fields * (64 * unknowns + 16 * unknowns / history) + elements * (4 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start; then rr
 * launch:   apply; then exchange pap
 * launch:   update; then rr
 * finish:   finish
 *
 * Sums are exact, and v is added up in the order of the whole mesh: no number of threads or ranks changes a bit. */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/solve/host_bp1.h"
#include "lib/solve/host_ranks.h"
