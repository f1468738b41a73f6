/* bp5/shared/apply -- the operator on a group of elements, for all variants of this folder
 *
 * degrees:  1..15 */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/solve/host_bp5.h"

void BP_APPLY(const host_operator *o, const bp_cpu_arguments *a, const real *factors, bp_vector *u)
{
  host_apply_here(o, a, factors, u);
}
