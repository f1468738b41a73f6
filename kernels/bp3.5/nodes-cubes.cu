/* bp3.5/nodes-cubes -- a thread per node, u and the three fluxes in shared cubes
 *
 * degrees:  1..9
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nq, nq*nq, elements_per_block; shared 8 * (nq*(nq + (pad && nq % 8 == 0)) + elements_per_block * 4 * nq*nq*(nq + (pad && nq % 8 == 0)))
 * shared traffic: 8 * nq*nq / elements_per_block + 8 * (12 * nq*nq*nq*nq + 4 * nq*nq*nq)
 *
 * Thread (a, b, c) owns a node, with factors and sums in registers; one barrier between the halves. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_POINTS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_D, shared, BP_ROW(BP_NQ));
  BP_CUBE_AT(s_u, shared + BP_NQ * BP_ROW(BP_NQ) + threadIdx.z * 4 * BP_NQ * BP_NQ * BP_ROW(BP_NQ),
             BP_NQ, BP_ROW(BP_NQ));
  double(*s_r)[BP_NQ][BP_ROW(BP_NQ)] = s_u + BP_NQ, (*s_s)[BP_NQ][BP_ROW(BP_NQ)] = s_r + BP_NQ;
  double(*s_t)[BP_NQ][BP_ROW(BP_NQ)] = s_s + BP_NQ;
  const int a = threadIdx.x, b = threadIdx.y % BP_NQ, c = threadIdx.y / BP_NQ;
  const int slab = BP_NQ * BP_NQ, node = c * slab + b * BP_NQ + a;
  const size_t e = element_to_read(elements);
  const double *ge = factors + e * 7 * BP_NODES + node;
  const double r_u = u[e * BP_NODES + node];
  double g[7];
  move(7, g, 1, ge, BP_NODES);
  load_matrix(*s_D, BP_ROW(BP_NQ), D, BP_NQ, BP_NQ);
  s_u[c][b][a] = r_u;
  BP_BARRIER();

  double gradient[3] = {dot(BP_NQ, s_D[a], 1, s_u[c][b], 1),
                        dot(BP_NQ, s_D[b], 1, &s_u[c][0][a], BP_ROW(BP_NQ)),
                        dot(BP_NQ, s_D[c], 1, &s_u[0][b][a], BP_NQ * BP_ROW(BP_NQ))};
  apply_metric(g, 1, gradient);
  s_r[c][b][a] = gradient[0];
  s_s[c][b][a] = gradient[1];
  s_t[c][b][a] = gradient[2];
  BP_BARRIER();
  const double sum = lambda * g[6] * r_u + dot(BP_NQ, &s_D[0][a], BP_ROW(BP_NQ), s_r[c][b], 1) +
                     dot(BP_NQ, &s_D[0][b], BP_ROW(BP_NQ), &s_s[c][0][a], BP_ROW(BP_NQ)) +
                     dot(BP_NQ, &s_D[0][c], BP_ROW(BP_NQ), &s_t[0][b][a], BP_NQ * BP_ROW(BP_NQ));
  if (element_of_thread() < elements)
    v[e * BP_NODES + node] = sum;
}
