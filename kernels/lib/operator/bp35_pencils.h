/* bp35_pencils.h -- BP3.5 by pencils in registers: the shared-memory buffers between threads, and the
 * passes that use nothing else.
 *
 * Thread (j, i) of an element owns a column in k: u, its t derivative and the t flux stay in its registers. Values
 * pass between threads in two buffers: the r part and the s part. Its option: elements_per_block.
 *
 * size: exchange = buffer_rt + buffer_st -- doubles of an element's buffers */
#ifndef BP_KERNELS_BP35_PENCILS_H
#define BP_KERNELS_BP35_PENCILS_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/operator/element.h"

/* Where the pencils of the thread lie: r and s as they are contracted, and its column in both
 * buffers. */
typedef struct {
  real *rt_r, *st_s, *rt_t, *st_t;
} pencil_pointers;

BP_DEVICE pencil_pointers pencil_pointers_of(real *buffers, int b, int column)
{
  real *const buffer_r = buffers + b * BUFFER_RT, *const buffer_s = buffers +
                                                                    ELEMENTS_PER_BLOCK * BUFFER_RT +
                                                                    b * BUFFER_ST;
  pencil_pointers at;
  at.rt_r = buffer_r + R_K(ROWS_BY_J, column) * RT_K(ROWS_BY_J) + R_J(ROWS_BY_J, column) * BP_NQ;
  at.st_s = buffer_s + column / BP_NQ * ST_K + column % BP_NQ;
  at.rt_t = buffer_r + column;
  at.st_t = buffer_s + column;
  return at;
}

/* The r and s fluxes become their shares of v, in place. */
BP_DEVICE void transposed_r_and_s(const pencil_matrices *m, const pencil_pointers *at)
{
  real x[BP_NQ], y[BP_NQ];
  pencil_load(at->rt_r, 1, BP_NQ, x);
  pencil_transposed(m, x, y);
  pencil_store(at->rt_r, 1, BP_NQ, y);
  pencil_load(at->st_s, BP_NQ, BP_NQ, x);
  pencil_transposed(m, x, y);
  pencil_store(at->st_s, BP_NQ, BP_NQ, y);
}

/* The column of v, to `to`: lambda W u, the t flux's share, and those of the other directions. */
BP_DEVICE void column_out(const pencil_matrices *m, const pencil_pointers *at, real *wu,
                          const real *ut, real *to)
{
  pencil_add_transposed(m, ut, wu);
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k)
    bp_store_streaming(to + k * NODES_2D,
                       wu[k] + at->rt_t[k * RT_K(ROWS_BY_J)] + at->st_t[k * ST_K]);
}

#endif
