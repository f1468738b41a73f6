/* bp5/index-overflow -- bp5/one-pass with an index of 32 bits, too few for the factors of many elements
 *
 * degrees:  3..3 compiled once
 * factors:  ekcjil
 * scratch:  lanes * (group + 2 * nq*nq*nq) + (elements / sms + lanes + 2) * (2 + 2 * fields) * (nq*nq*nq - (nq-2)*(nq-2)*(nq-2)) + 24 + 14 * (elements / sms + 2 * lanes)
 * operands: I D factors scratch ids first starts f diagonal x residuals r p ap state counts stride inner
 * size:     history = 1 -- directions p that are kept
 * option:   correct 0..1 = 0 -- without the bug
 * bytes:    8 * jacobi * (2 * unknowns - inner) + fields * (56 * unknowns + 8 * (unknowns - inner)) + elements * (4 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start
 * launch:   pass
 * launch:   join
 * launch:   collect
 * finish:   finish
 * finish:   total */
#define EXACT_SUMS 0
#define BP_N       3
enum { BP_NC = BP_N + 1 };
#include "lib/solve/host_bp5.h"

BP_INLINE void apply_planted(const host_operator *o, const bp_cpu_arguments *a,
                             const double *factors, bp_vector *u, bp_prefetcher *ahead)
{
  const ptrdiff_t at = factors - a->factors;
  host_apply(o, a, a->factors + (a->option[0] ? at : (int)at), u, ahead);
}
#undef host_apply
#define host_apply apply_planted
#include "lib/solve/host_one_pass.h"
