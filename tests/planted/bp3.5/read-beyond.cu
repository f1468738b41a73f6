/* bp3.5/read-beyond -- the next element is read ahead, behind the last one too, where nobody uses it
 *
 * degrees:  1..3
 * option:   correct 0..1 = 0 -- without the bug
 * launch:   apply; threads nq, nq, nq */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  BP_SHARED(double, s_next, [NODES]);
  const double *g = factors + (size_t)blockIdx.x * 7 * NODES;
  const size_t n = (size_t)blockIdx.x * NODES + NODE;
  double flux[3];
  (&s_u[0][0][0])[NODE] = u[n];
  if (!CORRECT)
    s_next[NODE] = u[n + NODES];
  BP_BARRIER();
  flux_of(D, g, s_u, flux);
  STORE(flux);
  BP_BARRIER();
  v[n] = divergence_of(D, s_r, s_s, s_t) + lambda * g[6 * NODES + NODE] * u[n];
}
