/* batch_load.h -- loads from global memory straight into registers, with L2 hints: a block takes one batch of
 * elements, and each thread issues all of its loads at once. */
#ifndef BP_KERNELS_BATCH_LOAD_H
#define BP_KERNELS_BATCH_LOAD_H

#include "lib/memory/l2_hint.h"
#include "lib/operator/element.h"

/* L2 policies of what the block loads. The block's number decides for all of its elements. */
typedef struct {
  bp_l2_policy u, factors;
} l2_policies;

BP_DEVICE l2_policies l2_policies_of_block()
{
  const int number = (int)blockIdx.x;
  const l2_policies p = {bp_l2_policy_of(evict_first_u(number)),
                         bp_l2_policy_of(evict_first_factors(number))};
  return p;
}

/* A policy is needed only where a part of the array, not all, is marked. */
#define BATCH_LOAD(from, sixteenths, policy)                                                       \
  ((sixteenths) > 0 && (sixteenths) < 16 ? bp_load_hinted(from, policy)                            \
   : (sixteenths) == 0                   ? bp_load_cached(from)                                    \
                                         : bp_load_streaming(from))

BP_DEVICE real batch_load_u(const real *from, l2_policies p)
{
  return BATCH_LOAD(from, EVICT_FIRST_U, p.u);
}

BP_DEVICE real batch_load_factor(const stored *from, l2_policies p)
{
  return BATCH_LOAD(from, EVICT_FIRST_FACTORS, p.factors);
}

/* x: u along t at (j, i) = column, of the element that begins at u_e. */
BP_DEVICE void batch_load_column(const real *u_e, int column, l2_policies p, real x[BP_NQ])
{
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k)
    x[k] = batch_load_u(u_e + k * NODES_2D + column, p);
}

/* f[k][c]: the factors of the points (k, column) of element e. */
BP_DEVICE void batch_load_factors(const stored *factors, size_t e, int column, l2_policies p,
                                  real f[BP_NC][BP_COMPONENTS])
{
  BP_UNROLL
  for (int k = 0; k < BP_NC; ++k) {
    BP_UNROLL
    for (int c = 0; c < BP_COMPONENTS; ++c)
      f[k][c] = batch_load_factor(
          factors + (BP_COMPONENTS * e + c) * POINTS_3D + k * POINTS_2D + column, p);
  }
}

#endif
