/* bp3.5/local-overrun -- an index before the beginning of a local array, where the value is not used */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  const double *g = factors + (size_t)blockIdx.x * 7 * NODES;
  const size_t n = (size_t)blockIdx.x * NODES + NODE;
  const double around[3] = {u[n], 0, lambda};
  const int before = NODE - NODES / 2;
  double flux[3];
  s_u[threadIdx.z][threadIdx.y][threadIdx.x] = around[0];
  BP_BARRIER();
  const double at = around[CORRECT ? 2 : min(before, 2)];
  FLUXES;
  v[n] = divergence_of(D, s_r, s_s, s_t) + (before < 2 ? lambda : at) * g[6 * NODES + NODE] * u[n];
}
