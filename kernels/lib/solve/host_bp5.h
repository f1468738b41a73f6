/* host_bp5.h -- the operator of BP5 and BP6 on a group of elements: that of bp3.5/even_odd.
 *
 * degrees: 1..15
 * geometry: stored affine trilinear quadratic
 * precision: mixed single
 * factors: ekcjil
 * size: group = 2 * nq * (nq*nq + 1) + nq*nq -- vectors that a group is worked in, the values first */
#ifndef BP_KERNELS_SOLVE_HOST_BP5_H
#define BP_KERNELS_SOLVE_HOST_BP5_H

#include "lib/operator/host_geometry.h"
#include "lib/solve/host_metric.h"

enum {
  Q = BP_NQ,
  Q2 = Q * Q,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  HOST_POINTS = Q * Q2,
  HOST_GROUP = 2 * Q * PLANE + Q2,
  FACTORS =
      6 * HOST_POINTS, /* vectors of a group, each requested REQUESTS times, LEAD vectors before */
  LINES = 5 * Q2,      /* that are contracted meanwhile */
  LEAD = 768,
  REQUESTS = 2
};

typedef struct {
  real tables[2][BP_TABLE];
  bp_halves d, dt;
} host_operator;

BP_INLINE void host_operator_start(const bp_cpu_arguments *a, host_operator *o)
{
  o->d = bp_split(-1, Q, Q, a->D, Q, 1, o->tables[0]);
  o->dt = bp_split(-1, Q, Q, a->D, 1, Q, o->tables[1]);
}

BP_INLINE int host_components(const bp_cpu_arguments *a)
{
  return a->lambda > 0 ? 7 : 6;
}

BP_INLINE void host_apply(const host_operator *o, const bp_cpu_arguments *a, const stored *factors,
                          bp_vector *u, bp_prefetcher *ahead)
{
  bp_vector slab[SLAB_FACTORS];
  const bp_halves d = {-1, Q, Q, o->d.table}, dt = {-1, Q, Q, o->dt.table};
  bp_vector *t = u + Q * PLANE, *s = t + Q * PLANE;
  bp_contract_lines(d, u, PLANE, t, PLANE, Q2, ahead);
  for (int k = 0; k < Q; ++k)
    host_slab(d, dt, (real)a->lambda,
              host_slab_factors(factors, a->rule, host_components(a), k, 1, Q2, slab),
              u + k * PLANE, s, t + k * PLANE, ahead);
  bp_contract_add_lines(dt, t, PLANE, u, PLANE, Q2, ahead);
}

#endif
