/* bp3.5/index-overflow -- an index of 32 bits, too few for the factors of many elements */
#include "planted.h"

BP_KERNEL(apply)
{
  CUBES;
  const size_t e = blockIdx.x, at = CORRECT ? e * 7 * NODES : (size_t)(int)(e * 7 * NODES);
  const double *g = factors + at;
  const size_t n = e * NODES + NODE;
  double flux[3];
  (&s_u[0][0][0])[NODE] = u[n];
  BP_BARRIER();
  FLUXES;
  v[n] = RESULT;
}
