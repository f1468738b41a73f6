/* host_bp1.h -- the operator of BP1 and BP2 on a group of elements, in place along k.
 *
 * degrees: 1..15
 * points:  1..5
 * geometry: stored affine trilinear quadratic
 * precision: mixed single
 * factors: eckjil
 * size: group = nc * (nq*nq + 1) + nc*nc + nq*nc -- vectors that a group is worked in, the values first */
#ifndef BP_KERNELS_SOLVE_HOST_BP1_H
#define BP_KERNELS_SOLVE_HOST_BP1_H

#include "lib/contract/even_odd.h"
#include "lib/operator/host_geometry.h"

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  C2 = C * C,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  HOST_POINTS = C * C2,
  HOST_GROUP = C * (PLANE + C + Q),
  FACTORS =
      HOST_POINTS, /* vectors of a group, each requested REQUESTS times, LEAD vectors before */
  LINES = C * (2 * Q + 2 * C) + 2 * Q2, /* that are contracted meanwhile */
  LEAD = 512,
  REQUESTS = 1
};

typedef struct {
  real tables[2][BP_TABLE];
  bp_halves in, out;
} host_operator;

BP_INLINE void host_operator_start(const bp_cpu_arguments *a, host_operator *o)
{
  o->in = bp_split(1, C, Q, a->I, Q, 1, o->tables[0]);
  o->out = bp_split(1, Q, C, a->I, 1, Q, o->tables[1]);
}

BP_INLINE int host_components(const bp_cpu_arguments *a)
{
  (void)a;
  return 1;
}

BP_INLINE void host_apply(const host_operator *o, const bp_cpu_arguments *a, const stored *factors,
                          bp_vector *u, bp_prefetcher *ahead)
{
  const bp_halves in = {1, C, Q, o->in.table}, out = {1, Q, C, o->out.table};
  bp_vector *points = u + C * PLANE, *rows = points + C2;
  bp_vector slab[SLAB_FACTORS];
  bp_contract_lines(in, u, PLANE, u, PLANE, Q2, ahead);
  for (int k = 0; k < C; ++k) {
    const bp_factors *w = host_slab_factors(factors, a->rule, 1, k, 1, 1, slab);
    bp_contract_rows(in, u + k * PLANE, rows, Q, ahead);
    bp_contract_lines(in, rows, C, points, C, C, ahead);
    for (int n = 0; n < C2; ++n)
      points[n] *= BP_FACTOR(w[n]);
    bp_contract_lines(out, points, C, rows, C, C, ahead);
    bp_contract_rows(out, rows, u + k * PLANE, Q, ahead);
  }
  bp_contract_lines(out, u, PLANE, u, PLANE, Q2, ahead);
}

#endif
