/* host_bp1.h -- the operator of BP1 and BP2 on a group of elements, in place along k: factors eckjil. */
#ifndef BP_KERNELS_SOLVE_HOST_BP1_H
#define BP_KERNELS_SOLVE_HOST_BP1_H

#include "lib/contract/even_odd.h"

enum {
  Q = BP_NQ,
  Q2 = Q * Q,
  PLANE = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  LEAD = 512
};

typedef struct {
  real tables[2][BP_TABLE];
  bp_halves in, out;
} host_operator;

BP_INLINE void host_operator_start(const bp_cpu_arguments *a, host_operator *o)
{
  o->in = bp_split(1, a->nc, Q, a->I, Q, 1, o->tables[0]);
  o->out = bp_split(1, Q, a->nc, a->I, 1, Q, o->tables[1]);
}

BP_INLINE int host_components(const bp_cpu_arguments *a)
{
  (void)a;
  return 1;
}

BP_INLINE int host_points(const bp_cpu_arguments *a)
{
  return a->nc * a->nc * a->nc;
}

/* Vectors that it works in, the values first. */
BP_INLINE int host_group(const bp_cpu_arguments *a)
{
  return a->nc * (PLANE + a->nc + Q);
}

/* C points per direction. */
BP_INLINE void apply_at(const int C, const host_operator *o, const real *factors, bp_vector *u)
{
  const int C2 = C * C;
  const int pace =
      (C + 2) / 3; /* requests per line: the factors of the next group during this one */
  const bp_halves in = {1, C, Q, o->in.table}, out = {1, Q, C, o->out.table};
  bp_vector *points = u + C * PLANE, *rows = points + C2;
  bp_prefetcher ahead = {.factors = factors + BP_LANES * LEAD, .u = factors, .times = 1};
  bp_pace(&ahead, pace, 0);
  bp_contract_lines(in, u, PLANE, u, PLANE, Q2, NULL);
  for (int k = 0; k < C; ++k) {
    const bp_vector *w = (const bp_vector *)factors + k * C2;
    bp_contract_rows(in, u + k * PLANE, rows, Q, &ahead);
    bp_contract_lines(in, rows, C, points, C, C, &ahead);
    for (int n = 0; n < C2; ++n)
      points[n] *= w[n];
    bp_contract_lines(out, points, C, rows, C, C, &ahead);
    bp_contract_rows(out, rows, u + k * PLANE, Q, NULL);
  }
  bp_contract_lines(out, u, PLANE, u, PLANE, Q2, NULL);
}

/* Other points than the problem's own: loops of a length that is not known when it is compiled. */
static __attribute__((noinline, unused)) void apply_at_any(int C, const host_operator *o,
                                                           const real *factors, bp_vector *u)
{
  if (C < Q)
    __builtin_unreachable();
  apply_at(C, o, factors, u);
}

BP_INLINE void host_apply(const host_operator *o, const bp_cpu_arguments *a, const real *factors,
                          bp_vector *u)
{
  if (a->nc == BP_NC)
    apply_at(BP_NC, o, factors, u);
  else
    apply_at_any(a->nc, o, factors, u);
}

#endif
