/* bp1.0/factorised -- N known to the compiler, which vectorises the contractions of one element
 *
 * degrees:  1..15
 * scratch:  2 * nc*nc*nc
 *
 * Six contractions with every extent a constant; the innermost loop is always over contiguous data,
 * for the direction i by going through the matrix column by column. */
#include "lib/contract/arrays.h"

enum { Q = BP_NQ, C = BP_NC, NODES = Q * Q * Q, POINTS = C * C * C };

BP_KERNEL
{
  double columns[Q * C], *s = a->scratch, *t = s + POINTS;
  const double *I = a->I;
  bp_array_transpose(I, C, Q, columns);
  for (int64_t e = first; e < last; ++e) {
    const double *w = a->factors + e * POINTS;
    bp_array_contract_rows(columns, Q, C, Q * Q, a->u + e * NODES, s);
    bp_array_contract(I, Q, 1, Q, C, Q, C, s, t);
    bp_array_contract(I, Q, 1, Q, C, 1, C * C, t, s);
    for (int n = 0; n < POINTS; ++n)
      s[n] *= w[n];
    bp_array_contract(I, 1, Q, C, Q, 1, C * C, s, t);
    bp_array_contract(I, 1, Q, C, Q, Q, C, t, s);
    bp_array_contract_rows(I, C, Q, Q * Q, s, a->v + e * NODES);
  }
}
