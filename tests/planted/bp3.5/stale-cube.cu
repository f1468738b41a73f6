/* bp3.5/stale-cube -- the flux replaces u in its cube while others still read u */
#include "planted.h"

BP_KERNEL(apply)
{
  BP_SHARED(double, s_u, [BP_NQ][BP_NQ][BP_NQ]);
  BP_SHARED(double, s_s, [BP_NQ][BP_NQ][BP_NQ]);
  BP_SHARED(double, s_t, [BP_NQ][BP_NQ][BP_NQ]);
  slab *s_r = s_u;
  ELEMENT(blockIdx.x);
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  flux_of(D, g, s_u, flux);
  if (CORRECT)
    BP_BARRIER();
  STORE(flux);
  BP_BARRIER();
  v[n] = RESULT;
}
