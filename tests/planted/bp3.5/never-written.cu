/* bp3.5/never-written -- one node of a shared cube is read that nobody wrote
 *
 * degrees:  1..3
 * option:   correct 0..1 = 0 -- without the bug
 * launch:   apply; threads nq, nq, nq */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  const double *g = factors + (size_t)blockIdx.x * 7 * NODES;
  const size_t n = (size_t)blockIdx.x * NODES + NODE;
  double flux[3];
  if (CORRECT || NODE != NODES / 2)
    (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  flux_of(D, g, s_u, flux);
  STORE(flux);
  BP_BARRIER();
  v[n] = divergence_of(D, s_r, s_s, s_t) + lambda * g[6 * NODES + NODE] * u[n];
}
