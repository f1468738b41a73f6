/* bp3.5/bulk-bytes -- a bulk copy brings fewer bytes than the mbarrier expects
 *
 * degrees:  3..3
 * option:   correct 0..1 = 0 -- without the bug
 * launch:   apply; threads nq, nq, nq */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  const double *g = factors + (size_t)blockIdx.x * 7 * NODES;
  const size_t n = (size_t)blockIdx.x * NODES + NODE;
  double flux[3];
  BRING(u + (size_t)blockIdx.x * NODES, NODES * 8 + (CORRECT ? 0 : 16));
  flux_of(D, g, s_u, flux);
  STORE(flux);
  BP_BARRIER();
  v[n] = divergence_of(D, s_r, s_s, s_t) + lambda * g[6 * NODES + NODE] * u[n];
}
