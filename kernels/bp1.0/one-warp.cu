/* bp1.0/one-warp -- an element per warp, in registers from u to v: planes on the tensor cores, then columns
 *
 * degrees:  5..6
 * points:   1..2
 * requires: mma
 * factors:  eckji align 2
 * option:   elements_per_block 1..16 = 2 -- elements of a block, a warp each
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor, as far as registers go
 * launch:   apply; threads 32 * elements_per_block; shared real * elements_per_block * ((nc*nc*nc + 1) / 2 * 2)
 * shared traffic: real * ((nc*nc*nc + 1) / 2 * 2 + 64 * nc)
 *
 * No barriers of the block. Only the weights pass through shared memory; they come while u is on its way to the
 * points. A plane has at most 8 by 8 nodes, as a product of the tensor cores: with g = lane / 4 and q = lane % 4 a
 * lane holds those at ROW(g) of one direction and at q and q + 4 of the other. A product with the matrix on the left
 * contracts along the second direction and transposes the plane. So the next product, with the matrix on the right,
 * contracts along the other one. Both need the same entries of the matrix. They leave each lane with columns along
 * t, which need no other lane. */
#include "lib/contract/pencil.h"
#include "lib/operator/element.h"

enum { FACTORS = (BP_NC * BP_NC * BP_NC + 1) / 2 * 2 };

#define ROW(g) ((g) / 2 + (g) % 2 * 4)

/* Where a factor lies in shared memory. Of 8 rows of 8 the last four begin with their other half, so that the
 * four rows that half a warp reads are in all banks. */
BP_DEVICE int factor_place(int n)
{
  return BP_NC == 8 ? n ^ n / 32 % 2 * 4 : n;
}

/* x[p][k]: position q + 4p of plane k. */
BP_DEVICE void planes_transpose(const real matrix[2], real x[2][BP_NC])
{
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k) {
    real c[2] = {0, 0};
    bp_mma_8x8x4(c, matrix[0], x[0][k]);
    bp_mma_8x8x4(c, matrix[1], x[1][k]);
    x[0][k] = c[0];
    x[1][k] = c[1];
  }
}

/* Two planes at a time: products of 16 by 8 are twice as fast as those of 8 by 8. */
BP_DEVICE void planes_contract(const real matrix[2], real x[2][BP_NC])
{
  BP_UNROLL
  for (int k = 0; k + 1 < BP_NQ; k += 2) {
    const real a[4] = {x[0][k], x[0][k + 1], x[1][k], x[1][k + 1]};
    real c[4] = {0, 0, 0, 0};
    bp_mma_16x8x8(c, a, matrix);
    x[0][k] = c[0];
    x[1][k] = c[1];
    x[0][k + 1] = c[2];
    x[1][k + 1] = c[3];
  }
  if (BP_NQ % 2) {
    real c[2] = {0, 0};
    bp_mma_8x8x4(c, x[0][BP_NQ - 1], matrix[0]);
    bp_mma_8x8x4(c, x[1][BP_NQ - 1], matrix[1]);
    x[0][BP_NQ - 1] = c[0];
    x[1][BP_NQ - 1] = c[1];
  }
}

BP_KERNEL_BOUNDED(apply, 32 * ELEMENTS_PER_BLOCK, BP_MMA_BLOCKS(BLOCKS_PER_SM, ELEMENTS_PER_BLOCK))
{
  BP_DYNAMIC_SHARED(real, shared);
  const int e = blockIdx.x * ELEMENTS_PER_BLOCK + bp_warp(), lane = bp_lane();
  if (e >= elements)
    return;
  const int q = lane % 4, row = ROW(lane / 4);
  const int node_row = min(row, BP_NQ - 1), point_row = min(row, BP_NC - 1);
  real x[2][BP_NC], y[BP_NC], there[2], back[2];

  const real *u_e = u + (size_t)e * NODES_3D;
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k) {
    BP_UNROLL
    for (int p = 0; p < 2; ++p)
      x[p][k] = bp_load_cached(u_e + (k * BP_NQ + min(q + 4 * p, BP_NQ - 1)) * BP_NQ + node_row);
  }

  real *weights = shared + bp_warp() * FACTORS, *to = weights + factor_place(2 * lane);
  const real *from = factors + (size_t)e * FACTORS + 2 * lane;
  BP_UNROLL
  for (int n = 0; n < FACTORS; n += 64)
    if (n + 2 * lane < FACTORS)
      bp_async_copy16(to + n, from + n);
  bp_async_commit();

  /* beyond the nodes and points of a direction entries are 0 */
  BP_UNROLL
  for (int p = 0; p < 2; ++p) {
    const int input = q + 4 * p;
    there[p] = row < BP_NC && input < BP_NQ ? bp_load_cached(I + row * BP_NQ + input) : 0;
    back[p] = row < BP_NQ && input < BP_NC ? bp_load_cached(I + input * BP_NQ + row) : 0;
  }
  pencil_prefetch_constants(32 * ELEMENTS_PER_BLOCK, PENCIL_NONE);

  planes_transpose(there, x);
  planes_contract(there, x);
  BP_ASYNC_WAIT(0);
  BP_WARP_BARRIER();
  BP_UNROLL
  for (int p = 0; p < 2; ++p) {
    const real *w = weights + factor_place(point_row * BP_NC + min(q + 4 * p, BP_NC - 1));
    pencil_interpolate(IN_CONSTANTS, x[p], y);
    BP_UNROLL
    for (int k = 0; k < BP_NC; ++k)
      y[k] *= w[k * BP_NC * BP_NC];
    pencil_project(IN_CONSTANTS, y, x[p]);
  }
  planes_transpose(back, x);
  planes_contract(back, x);
  BP_UNROLL
  for (int p = 0; p < 2; ++p)
    if (row < BP_NQ && q + 4 * p < BP_NQ) {
      real *v_column = v + (size_t)e * NODES_3D + (q + 4 * p) * BP_NQ + row;
      BP_UNROLL
      for (int k = 0; k < BP_NQ; ++k)
        bp_store_streaming(v_column + k * BP_NQ * BP_NQ, x[p][k]);
    }
}
