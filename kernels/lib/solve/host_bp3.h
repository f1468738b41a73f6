/* host_bp3.h -- the operator of BP3 and BP4 on a group of elements: that of bp3.0/even_odd.
 *
 * degrees: 1..15
 * points:  1..5
 * geometry: stored affine trilinear quadratic
 * precision: mixed single
 * factors: ekcjil
 * size: group = 2 * nc * (nc*nc + 1) + nc*nc -- vectors that a group is worked in, the values first */
#ifndef BP_KERNELS_SOLVE_HOST_BP3_H
#define BP_KERNELS_SOLVE_HOST_BP3_H

#include "lib/operator/host_geometry.h"
#include "lib/solve/host_metric.h"

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  C2 = C * C,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  POINTS_PLANE = C2 + (C % 8 == 0),
  HOST_POINTS = C * C2,
  HOST_GROUP = 2 * C * POINTS_PLANE + C2,
  FACTORS =
      6 * HOST_POINTS, /* vectors of a group, each requested REQUESTS times, LEAD vectors before */
  LINES =
      9 *
      C2, /* that are contracted meanwhile, or fewer: too many requests do less harm than too few */
  LEAD = 768,
  REQUESTS = 2
};

typedef struct {
  real tables[4][BP_TABLE];
  bp_halves in, out, d, dt;
} host_operator;

BP_INLINE void host_operator_start(const bp_cpu_arguments *a, host_operator *o)
{
  o->in = bp_split(1, C, Q, a->I, Q, 1, o->tables[0]);
  o->out = bp_split(1, Q, C, a->I, 1, Q, o->tables[1]);
  o->d = bp_split(-1, C, C, a->D, C, 1, o->tables[2]);
  o->dt = bp_split(-1, C, C, a->D, 1, C, o->tables[3]);
}

BP_INLINE int host_components(const bp_cpu_arguments *a)
{
  return a->lambda > 0 ? 7 : 6;
}

/* The values of nodes share their memory with the gradient along k. */
BP_INLINE void host_apply(const host_operator *o, const bp_cpu_arguments *a, const stored *factors,
                          bp_vector *u, bp_prefetcher *ahead)
{
  const int plane = POINTS_PLANE;
  bp_vector slab[SLAB_FACTORS];
  const bp_halves in = {1, C, Q, o->in.table}, out = {1, Q, C, o->out.table};
  const bp_halves d = {-1, C, C, o->d.table}, dt = {-1, C, C, o->dt.table};
  bp_vector *t = u, *w = t + C * plane, *s = w + C * plane;
  bp_contract_lines(in, u, PLANE, w, plane, Q2, ahead);
  for (int k = 0; k < C; ++k) {
    bp_contract_rows(in, w + k * plane, s, Q, ahead);
    bp_contract_lines(in, s, C, w + k * plane, C, C, ahead);
  }
  bp_contract_lines(d, w, plane, t, plane, C2, ahead);
  for (int k = 0; k < C; ++k)
    host_slab(d, dt, (real)a->lambda,
              host_slab_factors(factors, a->rule, host_components(a), k, 1, C2, slab),
              w + k * plane, s, t + k * plane, ahead);
  bp_contract_add_lines(dt, t, plane, w, plane, C2, ahead);
  for (int k = 0; k < C; ++k) {
    bp_contract_lines(out, w + k * plane, C, s, C, C, ahead);
    bp_contract_rows(out, s, w + k * plane, Q, ahead);
  }
  bp_contract_lines(out, w, plane, u, PLANE, Q2, ahead);
}

#endif
