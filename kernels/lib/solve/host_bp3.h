/* host_bp3.h -- the operator of BP3 and BP4 on a group of elements: bp3.0/even_odd with factors ekcjil. */
#ifndef BP_KERNELS_SOLVE_HOST_BP3_H
#define BP_KERNELS_SOLVE_HOST_BP3_H

#include "lib/solve/host_metric.h"

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  C2 = C * C,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  PLANE_C = C2 + (C % 8 == 0),
  GROUP = 2 * C * PLANE_C + C2, /* vectors that it works in, the values first */
  POINTS = C * C2,
  PACE = (6 * C + 8) / 9, /* requests per line: the factors of the next group during this one */
  LEAD = 768
};

typedef struct {
  double tables[4][BP_TABLE];
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
BP_INLINE void host_apply(const host_operator *o, const bp_cpu_arguments *a, const double *factors,
                          bp_vector *u)
{
  const int each = host_components(a) * C2;
  const bp_vector *g = (const bp_vector *)factors;
  const bp_halves in = {1, C, Q, o->in.table}, out = {1, Q, C, o->out.table};
  const bp_halves d = {-1, C, C, o->d.table}, dt = {-1, C, C, o->dt.table};
  bp_vector *t = u, *w = t + C * PLANE_C, *s = w + C * PLANE_C;
  bp_prefetcher ahead = {.factors = factors + BP_LANES * LEAD, .u = factors, .times = 2};
  bp_pace(&ahead, PACE, 0);
  bp_contract_lines(in, u, PLANE, w, PLANE_C, Q2, &ahead);
  for (int k = 0; k < C; ++k) {
    bp_contract_rows(in, w + k * PLANE_C, s, Q, &ahead);
    bp_contract_lines(in, s, C, w + k * PLANE_C, C, C, &ahead);
  }
  bp_contract_lines(d, w, PLANE_C, t, PLANE_C, C2, &ahead);
  for (int k = 0; k < C; ++k)
    host_slab(d, dt, a->lambda, g + k * each, w + k * PLANE_C, s, t + k * PLANE_C, &ahead);
  bp_contract_add_lines(dt, t, PLANE_C, w, PLANE_C, C2, &ahead);
  for (int k = 0; k < C; ++k) {
    bp_contract_lines(out, w + k * PLANE_C, C, s, C, C, &ahead);
    bp_contract_rows(out, s, w + k * PLANE_C, Q, &ahead);
  }
  bp_contract_lines(out, w, PLANE_C, u, PLANE, Q2, &ahead);
}

#endif
