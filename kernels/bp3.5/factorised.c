/* bp3.5/factorised -- N known to the compiler, which vectorises the contractions of one element
 *
 * degrees:  1..15
 * scratch:  5 * nq*nq*nq
 *
 * Six contractions with every extent a constant; the innermost loop is always over contiguous data,
 * for the direction i by going through the matrix column by column. */
#include "lib/contract/arrays.h"

enum { Q = BP_NQ, Q2 = Q * Q, POINTS = Q * Q2 };

BP_KERNEL
{
  double derivatives[Q2];
  double *w = a->scratch, *r = w + POINTS, *s = r + POINTS, *t = s + POINTS, *sum = t + POINTS;
  const double *D = a->D;
  bp_array_transpose(D, Q, Q, derivatives);
  for (int64_t e = first; e < last; ++e) {
    const double *u = a->u + e * POINTS;
    double *v = a->v + e * POINTS;
    bp_array_contract_rows(derivatives, Q, Q, Q2, u, r);
    bp_array_contract(D, Q, 1, Q, Q, Q, Q, u, s);
    bp_array_contract(D, Q, 1, Q, Q, 1, Q2, u, t);
    for (int n = 0; n < POINTS; ++n)
      w[n] = u[n];
    bp_array_metric(a->factors + e * 7 * POINTS, a->lambda, POINTS, 1, 1, w, r, s, t);
    bp_array_contract_rows(D, Q, Q, Q2, r, sum);
    bp_array_contract(D, 1, Q, Q, Q, Q, Q, s, r);
    bp_array_contract(D, 1, Q, Q, Q, 1, Q2, t, s);
    for (int n = 0; n < POINTS; ++n)
      v[n] = w[n] + sum[n] + r[n] + s[n];
  }
}
