/* bp5/index-overflow -- bp5/two-pass with an index of 32 bits, too few for the factors of many elements
 *
 * degrees:  3..3 compiled once
 * factors:  ekcjil
 * scratch:  lanes * (2 * nq * (nq*nq + 1) + nq*nq + 2 * nq*nq*nq) + (elements / sms + lanes + 2) * (6 * nq*nq + 8) / 2
 * operands: I D factors scratch ids first starts copied f diagonal x residuals r p ap copies state counts stride inner
 * option:   history 2..16 = 4 -- directions p that are kept
 * option:   correct 0..1 = 0 -- without the bug
 * bytes:    8 * jacobi * unknowns + fields * (64 * unknowns + 16 * unknowns / history) + elements * (4 * surface_nodes + 8 * components * nc*nc*nc)
 * start:    start
 * launch:   apply
 * launch:   update
 * finish:   finish */
#define BP_N 3
enum { BP_NC = BP_N + 1 };
#include "lib/solve/host_bp5.h"

BP_INLINE void apply_planted(const host_operator *o, const bp_cpu_arguments *a,
                             const double *factors, bp_vector *u)
{
  const ptrdiff_t at = factors - a->factors;
  host_apply(o, a, a->factors + (a->option[1] ? at : (int)at), u);
}
#undef host_apply
#define host_apply apply_planted
#include "lib/solve/host_two_pass.h"
