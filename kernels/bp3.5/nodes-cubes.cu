/* bp3.5/nodes-cubes -- a thread per node, u and the three fluxes in shared cubes
 *
 * degrees:  1..9
 * launch:   apply; threads nq, nq*nq, elements_per_block; shared real * (slab + elements_per_block * 4 * cube)
 * shared traffic: real * nq*nq / elements_per_block + real * (12 * nq*nq*nq*nq + 4 * nq*nq*nq)
 *
 * Thread (a, b, c) owns a node, with factors and sums in registers; one barrier between the halves. */
#include "lib/operator/thread_per_point.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  real *s_D = shared, *s_u = s_D + SLAB + threadIdx.z * 4 * CUBE;
  const real value = t.u[t.at];
  real g[7];
  move(7, g, 1, t.factors, NODES_3D);
  const ladder_derivative d = derivative_load(s_D, D);
  s_u[point_at(ROW)] = value;
  BP_BARRIER();
  const real sum = apply_through_fluxes(&d, &t, g, lambda, value, s_u, ROW, s_u + CUBE, ROW, CUBE);
  if (t.stores)
    t.v[t.at] = sum;
}
