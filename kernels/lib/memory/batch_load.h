/* batch_load.h -- blocks that take a batch of elements each, and ask for all of their data at once. */
#ifndef BP_KERNELS_DIRECT_H
#define BP_KERNELS_DIRECT_H

#include "lib/memory/l2_hint.h"

enum {
  BATCH = ELEMENTS_PER_BLOCK,
  NODES = BP_NQ * BP_NQ * BP_NQ,
  POINTS = BP_NC * BP_NC * BP_NC,
  THREADS = (BATCH * BP_NC * BP_NC + 31) / 32 * 32 /* a pencil each, in whole warps */
};

/* How what the block loads leaves L2: all of it is of one number, the block's. */
typedef struct {
  bp_l2_policy u, factors;
} l2_policies;

BP_DEVICE l2_policies l2_policies_of_block()
{
  const int number = (int)blockIdx.x;
  const l2_policies m = {bp_l2_policy_of(evict_first_u(number)), bp_l2_policy_of(evict_first_factors(number))};
  return m;
}

/* Only an array of which a part leaves first needs marks. */
BP_DEVICE double direct_load(const double *from, int sixteenths, bp_l2_policy mark)
{
  if (sixteenths > 0 && sixteenths < 16)
    return bp_load_hinted(from, mark);
  return sixteenths == 0 ? bp_load_cached(from) : bp_load_streaming(from);
}

BP_DEVICE double direct_load_u(const double *from, l2_policies m)
{
  return direct_load(from, EVICT_FIRST_U, m.u);
}

BP_DEVICE double direct_load_factor(const double *from, l2_policies m)
{
  return direct_load(from, EVICT_FIRST_FACTORS, m.factors);
}

/* Column p along t of the element whose u is given. */
BP_DEVICE void direct_load_column(const double *u_e, int p, l2_policies m, double x[BP_NQ])
{
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k)
    x[k] = direct_load_u(u_e + k * BP_NQ * BP_NQ + p, m);
}

/* All factors of the points of column p along t of element e. */
BP_DEVICE void direct_load_factors(const double *factors, size_t e, int p, l2_policies m,
                                   double f[BP_NC][BP_COMPONENTS])
{
  BP_UNROLL
  for (int k = 0; k < BP_NC; ++k) {
    BP_UNROLL
    for (int c = 0; c < BP_COMPONENTS; ++c)
      f[k][c] =
          direct_load_factor(factors + (BP_COMPONENTS * e + c) * POINTS + k * BP_NC * BP_NC + p, m);
  }
}

#endif
