/* bp3.5/endless -- a thread waits for what never comes
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
  (&s_u[0][0][0])[NODE] = u[n];
  while (!CORRECT && *(volatile int *)&s_u[0][0][0] != 7)
    ;
  BP_BARRIER();
  flux_of(D, g, s_u, flux);
  STORE(flux);
  BP_BARRIER();
  v[n] = divergence_of(D, s_r, s_s, s_t) + lambda * g[6 * NODES + NODE] * u[n];
}
