/* bp3.0/simd -- one element per SIMD lane: every operation is one vector wide, whatever N
 *
 * degrees:  1..15
 * precision: mixed single
 * factors:  ekjicl
 * scratch:  lanes * (4 * nc*nc*nc + nq*nq*nq)
 *
 * The twelve contractions one after the other over the whole group; a line of nodes is held in
 * registers while its matrix is gone through. */
#include "abi/simd.h"

enum { Q = BP_NQ, C = BP_NC, NODES = Q * Q * Q, C2 = C * C, POINTS = C * C2 };

BP_KERNEL
{
  bp_vector *w = (bp_vector *)a->scratch, *gr = w + POINTS, *gs = gr + POINTS, *gt = gs + POINTS;
  real *tail = (real *)(gt + POINTS);
  const real *I = a->I, *D = a->D, lambda = (real)a->lambda;
  for (int64_t e = first; e < last; e += BP_LANES) {
    const bp_factors *g = (const bp_factors *)(a->factors + e * 7 * POINTS);
    bp_range r = bp_group_begin(a, e, last, NODES, tail);
    bp_group_load(r.u, Q, Q * Q, Q * Q, gr, NULL);
    bp_multiply(I, Q, 1, C, Q, Q * Q, 1, gr, gs);
    bp_multiply(I, Q, 1, C, Q, Q, C, gs, gr);
    bp_multiply(I, Q, 1, C, Q, 1, C2, gr, w);
    bp_multiply(D, C, 1, C, C, C2, 1, w, gr);
    bp_multiply(D, C, 1, C, C, C, C, w, gs);
    bp_multiply(D, C, 1, C, C, 1, C2, w, gt);
    for (int n = 0; n < POINTS; ++n, g += 7) {
      bp_vector ur = gr[n], us = gs[n], ut = gt[n];
      gr[n] = BP_FACTOR(g[0]) * ur + BP_FACTOR(g[1]) * us + BP_FACTOR(g[2]) * ut;
      gs[n] = BP_FACTOR(g[1]) * ur + BP_FACTOR(g[3]) * us + BP_FACTOR(g[4]) * ut;
      gt[n] = BP_FACTOR(g[2]) * ur + BP_FACTOR(g[4]) * us + BP_FACTOR(g[5]) * ut;
      w[n] *= lambda * BP_FACTOR(g[6]);
    }
    bp_multiply(D, 1, C, C, C, C2, 1, gr, gr);
    bp_multiply(D, 1, C, C, C, C, C, gs, gs);
    bp_multiply(D, 1, C, C, C, 1, C2, gt, gt);
    for (int n = 0; n < POINTS; ++n)
      w[n] += gr[n] + gs[n] + gt[n];
    bp_multiply(I, 1, Q, Q, C, 1, C2, w, gr);
    bp_multiply(I, 1, Q, Q, C, Q, C, gr, gs);
    bp_multiply(I, 1, Q, Q, C, Q * Q, 1, gs, gr);
    bp_group_store(gr, Q, Q * Q, Q * Q, r.v, NULL);
    bp_group_end(a, e, last, NODES, r.v);
  }
  bp_fence();
}
