/* bp3.5/simd -- one element per SIMD lane: every operation is one vector wide, whatever N
 *
 * degrees:  1..15
 * precision: mixed single
 * factors:  ekjicl
 * scratch:  lanes * 5 * nq*nq*nq
 *
 * Gradient, metric and transposed gradient one after the other over the whole group; a line of
 * nodes is held in registers while its matrix is gone through. */
#include "abi/simd.h"

enum { Q = BP_NQ, Q2 = Q * Q, NODES = Q * Q2 };

BP_KERNEL
{
  bp_vector *u = (bp_vector *)a->scratch, *gr = u + NODES, *gs = gr + NODES, *gt = gs + NODES;
  real *tail = (real *)(gt + NODES);
  const real *D = a->D, lambda = (real)a->lambda;
  for (int64_t e = first; e < last; e += BP_LANES) {
    const bp_factors *g = (const bp_factors *)(a->factors + e * 7 * NODES);
    bp_range r = bp_group_begin(a, e, last, NODES, tail);
    bp_group_load(r.u, Q, Q2, Q2, u, NULL);
    bp_multiply(D, Q, 1, Q, Q, Q2, 1, u, gr);
    bp_multiply(D, Q, 1, Q, Q, Q, Q, u, gs);
    bp_multiply(D, Q, 1, Q, Q, 1, Q2, u, gt);
    for (int n = 0; n < NODES; ++n, g += 7) {
      bp_vector ur = gr[n], us = gs[n], ut = gt[n];
      gr[n] = BP_FACTOR(g[0]) * ur + BP_FACTOR(g[1]) * us + BP_FACTOR(g[2]) * ut;
      gs[n] = BP_FACTOR(g[1]) * ur + BP_FACTOR(g[3]) * us + BP_FACTOR(g[4]) * ut;
      gt[n] = BP_FACTOR(g[2]) * ur + BP_FACTOR(g[4]) * us + BP_FACTOR(g[5]) * ut;
      u[n] *= lambda * BP_FACTOR(g[6]);
    }
    bp_multiply(D, 1, Q, Q, Q, Q2, 1, gr, gr);
    bp_multiply(D, 1, Q, Q, Q, Q, Q, gs, gs);
    bp_multiply(D, 1, Q, Q, Q, 1, Q2, gt, gt);
    for (int n = 0; n < NODES; ++n)
      u[n] += gr[n] + gs[n] + gt[n];
    bp_group_store(u, Q, Q2, Q2, r.v, NULL);
    bp_group_end(a, e, last, NODES, r.v);
  }
  bp_fence();
}
