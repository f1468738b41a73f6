/* bp1.0/simd -- one element per SIMD lane: every operation is one vector wide, whatever N
 *
 * degrees:  1..15
 * precision: mixed single
 * factors:  ekjicl
 * scratch:  lanes * (2 * nc*nc*nc + nq*nq*nq)
 *
 * The six contractions one after the other over the whole group; a line of nodes is held in
 * registers while its matrix is gone through. */
#include "abi/simd.h"

enum { Q = BP_NQ, C = BP_NC, NODES = Q * Q * Q, POINTS = C * C * C };

BP_KERNEL
{
  bp_vector *s = (bp_vector *)a->scratch, *t = s + POINTS;
  real *tail = (real *)(t + POINTS);
  const real *I = a->I;
  for (int64_t e = first; e < last; e += BP_LANES) {
    const bp_factors *w = (const bp_factors *)(a->factors + e * POINTS);
    bp_range r = bp_group_begin(a, e, last, NODES, tail);
    bp_group_load(r.u, Q, Q * Q, Q * Q, s, NULL);
    bp_multiply(I, Q, 1, C, Q, Q * Q, 1, s, t);
    bp_multiply(I, Q, 1, C, Q, Q, C, t, s);
    bp_multiply(I, Q, 1, C, Q, 1, C * C, s, t);
    for (int n = 0; n < POINTS; ++n)
      t[n] *= BP_FACTOR(w[n]);
    bp_multiply(I, 1, Q, Q, C, 1, C * C, t, s);
    bp_multiply(I, 1, Q, Q, C, Q, C, s, t);
    bp_multiply(I, 1, Q, Q, C, Q * Q, 1, t, s);
    bp_group_store(s, Q, Q * Q, Q * Q, r.v, NULL);
    bp_group_end(a, e, last, NODES, r.v);
  }
  bp_fence();
}
