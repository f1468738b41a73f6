/* bp3.5/prefetch -- u in a shared cube and a register column, the factors of a slice loaded ahead
 *
 * degrees:  1..15
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * launch:   apply; threads nq, nq, elements_per_block; shared 8 * (nq*(nq + (pad && nq % 8 == 0)) + elements_per_block * (nq + 2)*nq*(nq + (pad && nq % 8 == 0)))
 * shared traffic: 8 * nq*nq / elements_per_block + 8 * (10 * nq*nq*nq*nq + 3 * nq*nq*nq)
 *
 * Thread (a, b) owns a column in t, of u and of the result, in registers. For each slice: seven factors
 * to registers, gradient in r and s from the cube and in t from the column, two slabs, transposed
 * derivatives. */
#include "lib/contract/ladder.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_ROWS_AT(s_D, shared, BP_ROW(BP_NQ));
  BP_CUBE_AT(s_u,
             shared + BP_NQ * BP_ROW(BP_NQ) + threadIdx.z * (BP_NQ + 2) * BP_NQ * BP_ROW(BP_NQ),
             BP_NQ, BP_ROW(BP_NQ));
  double(*s_r)[BP_ROW(BP_NQ)] = s_u[BP_NQ], (*s_s)[BP_ROW(BP_NQ)] = s_u[BP_NQ + 1];
  const int a = threadIdx.x, b = threadIdx.y, slab = BP_NQ * BP_NQ;
  const size_t e = element_to_read(elements);
  const bool stores = element_of_thread() < elements;
  const double *ge = factors + e * 7 * BP_NODES + b * BP_NQ + a;
  double r_u[BP_NQ], r_v[BP_NQ];
  move(BP_NQ, r_u, 1, u + e * BP_NODES + b * BP_NQ + a, slab);
  clear(BP_NQ, r_v, 1);
  load_matrix(*s_D, BP_ROW(BP_NQ), D, BP_NQ, BP_NQ);
  move(BP_NQ, &s_u[0][b][a], BP_NQ * BP_ROW(BP_NQ), r_u, 1);
  BP_BARRIER();

  BP_UNROLL_IF(UNROLL)
  for (int k = 0; k < BP_NQ; ++k) {
    double g[7];
    move(7, g, 1, ge + k * slab, BP_NODES);
    double gradient[3] = {dot(BP_NQ, s_D[a], 1, s_u[k][b], 1),
                          dot(BP_NQ, s_D[b], 1, &s_u[k][0][a], BP_ROW(BP_NQ)),
                          dot(BP_NQ, s_D[k], 1, r_u, 1)};
    apply_metric(g, 1, gradient);
    s_r[b][a] = gradient[0];
    s_s[b][a] = gradient[1];
    BP_BARRIER();
    r_v[k] += lambda * g[6] * r_u[k] + dot(BP_NQ, &s_D[0][a], BP_ROW(BP_NQ), s_r[b], 1) +
              dot(BP_NQ, &s_D[0][b], BP_ROW(BP_NQ), &s_s[0][a], BP_ROW(BP_NQ));
    add_scaled(BP_NQ, r_v, 1, s_D[k], gradient[2]);
    BP_BARRIER();
  }
  if (stores)
    move(BP_NQ, v + e * BP_NODES + b * BP_NQ + a, slab, r_v, 1);
}
