/* exchange.h -- a group's nodes go and another's come, a cache line at a time, beside contractions.
 *
 * Tiles that wait for nothing but multiplications have time for the loads, shuffles and stores of a few nodes. Those
 * of the group before leave their vectors, and the next group's take their places two lines later: at once, a load
 * would wait for a store to the same place of another page. */
#ifndef BP_KERNELS_EXCHANGE_H
#define BP_KERNELS_EXCHANGE_H

#include "abi/simd.h"

enum {
  BP_PLANE = BP_NQ * BP_NQ,
  BP_STRIDE =
      BP_PLANE + (BP_NQ % 8 == 0), /* a line along k does not fall into one set of the cache */
  BP_NODES = BP_NQ * BP_PLANE,
  BP_BEHIND = 2 * BP_LINE,
};

typedef struct bp_exchange {
  bp_vector *x;    /* nodes, planes BP_STRIDE from each other */
  const double *u; /* what comes, or NULL */
  double *v;       /* where the results go, or NULL */
  int at;
  bp_shifted shifted;
} bp_exchange;

/* The nodes of a cache line go, those of one before it come. */
BP_INLINE void bp_exchange_line(bp_exchange *exchange)
{
  bp_vector *const x = exchange->x;
  const double *const u = exchange->u;
  double *const v = exchange->v;
  const int at = exchange->at, behind = at - BP_BEHIND;
  if (v && at < BP_NODES) {
    if (BP_NODES % BP_LINE == 0)
      bp_group_store_line(x, BP_NODES, BP_PLANE, BP_STRIDE, at, v, 0, NULL);
    else
#pragma GCC unroll 4
      for (int n = 0; n < BP_LINE; n += BP_LANES)
        if (at + n < BP_NODES)
          bp_group_store_shifted(x, BP_NODES, at + n, v, 0, &exchange->shifted);
  }
  if (u && behind >= 0)
#pragma GCC unroll 4
    for (int n = 0; n < BP_LINE; n += BP_LANES)
      bp_group_load_part(u, BP_NQ, BP_PLANE, BP_STRIDE, behind + n, x);
  exchange->at = at + BP_LINE;
}

BP_PHASE void bp_exchange_call(bp_exchange *x)
{
  bp_exchange_line(x);
}

/* The next line, if there is one. */
BP_INLINE void bp_exchange_next(bp_exchange *x)
{
  if (x->at >= BP_NODES + BP_BEHIND)
    return;
  if (BP_NQ % 4 == 0) /* inline, where there are few tiles */
    bp_exchange_line(x);
  else
    bp_exchange_call(x);
}

BP_INLINE void bp_exchange_rest(bp_exchange *x)
{
  while (x->at < BP_NODES + BP_BEHIND)
    bp_exchange_call(x);
}

#endif
