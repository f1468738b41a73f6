/* host_bp3.h -- the operator of BP3 and BP4 on a group of elements: bp3.0/even_odd with factors ekcjil. */
#ifndef BP_KERNELS_SOLVE_HOST_BP3_H
#define BP_KERNELS_SOLVE_HOST_BP3_H

#include "lib/solve/host_metric.h"

enum {
  Q = BP_NQ,
  Q2 = Q * Q,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  LEAD = 768
};

typedef struct {
  real tables[4][BP_TABLE];
  bp_halves in, out, d, dt;
} host_operator;

BP_INLINE void host_operator_start(const bp_cpu_arguments *a, host_operator *o)
{
  o->in = bp_split(1, a->nc, Q, a->I, Q, 1, o->tables[0]);
  o->out = bp_split(1, Q, a->nc, a->I, 1, Q, o->tables[1]);
  o->d = bp_split(-1, a->nc, a->nc, a->D, a->nc, 1, o->tables[2]);
  o->dt = bp_split(-1, a->nc, a->nc, a->D, 1, a->nc, o->tables[3]);
}

BP_INLINE int host_components(const bp_cpu_arguments *a)
{
  return a->lambda > 0 ? 7 : 6;
}

BP_INLINE int host_points(const bp_cpu_arguments *a)
{
  return a->nc * a->nc * a->nc;
}

/* A plane of C x C points, with a gap as PLANE has it. */
BP_INLINE int host_plane(int C)
{
  return C * C + (C % 8 == 0);
}

/* Vectors that it works in, the values first. */
BP_INLINE int host_group(const bp_cpu_arguments *a)
{
  return 2 * a->nc * host_plane(a->nc) + a->nc * a->nc;
}

/* C points per direction. The values of nodes share their memory with the gradient along k. */
BP_INLINE void apply_at(const int C, const host_operator *o, const bp_cpu_arguments *a,
                        const real *factors, bp_vector *u)
{
  const int C2 = C * C, plane = host_plane(C), each = host_components(a) * C2;
  const int pace =
      (6 * C + 8) / 9; /* requests per line: the factors of the next group during this one */
  const bp_vector *g = (const bp_vector *)factors;
  const bp_halves in = {1, C, Q, o->in.table}, out = {1, Q, C, o->out.table};
  const bp_halves d = {-1, C, C, o->d.table}, dt = {-1, C, C, o->dt.table};
  bp_vector *t = u, *w = t + C * plane, *s = w + C * plane;
  bp_prefetcher ahead = {.factors = factors + BP_LANES * LEAD, .u = factors, .times = 2};
  bp_pace(&ahead, pace, 0);
  bp_contract_lines(in, u, PLANE, w, plane, Q2, &ahead);
  for (int k = 0; k < C; ++k) {
    bp_contract_rows(in, w + k * plane, s, Q, &ahead);
    bp_contract_lines(in, s, C, w + k * plane, C, C, &ahead);
  }
  bp_contract_lines(d, w, plane, t, plane, C2, &ahead);
  for (int k = 0; k < C; ++k)
    host_slab(d, dt, a->lambda, g + k * each, w + k * plane, s, t + k * plane, &ahead);
  bp_contract_add_lines(dt, t, plane, w, plane, C2, &ahead);
  for (int k = 0; k < C; ++k) {
    bp_contract_lines(out, w + k * plane, C, s, C, C, &ahead);
    bp_contract_rows(out, s, w + k * plane, Q, &ahead);
  }
  bp_contract_lines(out, w, plane, u, PLANE, Q2, &ahead);
}

/* Other points than the problem's own: loops of a length that is not known when it is compiled. */
static __attribute__((noinline, unused)) void
apply_at_any(const host_operator *o, const bp_cpu_arguments *a, const real *factors, bp_vector *u)
{
  const int C = a->nc;
  if (C < Q)
    __builtin_unreachable();
  apply_at(C, o, a, factors, u);
}

BP_INLINE void host_apply(const host_operator *o, const bp_cpu_arguments *a, const real *factors,
                          bp_vector *u)
{
  if (a->nc == BP_NC)
    apply_at(BP_NC, o, a, factors, u);
  else
    apply_at_any(o, a, factors, u);
}

#endif
