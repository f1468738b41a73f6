/* bp3.0/factorised -- N known to the compiler, which vectorises the contractions of one element
 *
 * degrees:  1..15
 * scratch:  5 * nc*nc*nc
 *
 * Twelve contractions with every extent a constant; the innermost loop is always over contiguous
 * data, for the direction i by going through the matrix column by column. */
#include "lib/contract/arrays.h"

enum { Q = BP_NQ, C = BP_NC, C2 = C * C, NODES = Q * Q * Q, POINTS = C * C2 };

BP_KERNEL
{
  double columns[Q * C], derivatives[C2];
  double *w = a->scratch, *r = w + POINTS, *s = r + POINTS, *t = s + POINTS, *sum = t + POINTS;
  const double *I = a->I, *D = a->D;
  bp_array_transpose(I, C, Q, columns);
  bp_array_transpose(D, C, C, derivatives);
  for (int64_t e = first; e < last; ++e) {
    bp_array_contract_rows(columns, Q, C, Q * Q, a->u + e * NODES, r);
    bp_array_contract(I, Q, 1, Q, C, Q, C, r, s);
    bp_array_contract(I, Q, 1, Q, C, 1, C2, s, w);
    bp_array_contract_rows(derivatives, C, C, C2, w, r);
    bp_array_contract(D, C, 1, C, C, C, C, w, s);
    bp_array_contract(D, C, 1, C, C, 1, C2, w, t);
    bp_array_metric(a->factors + e * 7 * POINTS, a->lambda, POINTS, 1, 1, w, r, s, t);
    bp_array_contract_rows(D, C, C, C2, r, sum);
    bp_array_contract(D, 1, C, C, C, C, C, s, r);
    bp_array_contract(D, 1, C, C, C, 1, C2, t, s);
    for (int n = 0; n < POINTS; ++n)
      w[n] += sum[n] + r[n] + s[n];
    bp_array_contract(I, 1, Q, C, Q, 1, C2, w, r);
    bp_array_contract(I, 1, Q, C, Q, Q, C, r, s);
    bp_array_contract_rows(I, C, Q, Q * Q, s, a->v + e * NODES);
  }
}
