/* bp30_pencils.h -- BP3.0 by pencils in registers: its nine passes, and the shared-memory buffers
 * between them.
 *
 * A thread owns a pencil in each direction in turn. The interpolated values, t derivative and t flux of a t column
 * stay in its registers. Values pass between threads in three buffers per element: `r` for the r part and what passes
 * between t and s; `s` for the s part and what passes between s and r; `all` for u at the points and later the sum.
 * Where it helps and there is space, `all` has two parts: `rs` between r and s, the rest between s and t. The block's
 * threads pass a barrier between passes. Its option: elements_per_block.
 *
 * size: buffer_r = max(buffer_ts, buffer_rt) -- doubles of an element
 * size: buffer_s = max(buffer_sr, buffer_st) -- likewise
 * size: buffer_all = nc % 2 == 1 ? buffer_st : buffer_rt -- likewise
 * size: buffer_rs = nc % 2 == 1 && nq < 9 && nc < 11 ? same_bank(nc * same_bank(nc*nc, 1), nc*nc) : 0 -- likewise
 * size: exchange = buffer_r + buffer_s + buffer_all + buffer_rs -- all buffers of an element */
#ifndef BP_KERNELS_BP30_PENCILS_H
#define BP_KERNELS_BP30_PENCILS_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/operator/element.h"

enum {
  /* u and the sum, in all three directions: where they share no order, r gives way if BP_NC is odd, else s */
  ALL_K = BP_NC % 2 == 1 ? (int)ST_K : RT_K(ROWS_BY_J),
  /* or in two buffers: r and s */
  SPLIT = BP_NC % 2 == 1 && BP_N < 8 && BP_NC < 11,
  RS_J = SPLIT ? SAME_BANK(BP_NC * BP_NC, 1) : BP_NC,
  RS_K = SPLIT ? BP_NC : (int)ALL_K
};

/* Where the pencils of the thread lie: xy_x is its x pencil in the buffer between directions x and
 * y. */
typedef struct {
  int p; /* its number in the element; POINTS_2D: none */
  real *ts_t, *ts_s, *sr_s, *sr_r, *rs_r, *rs_s, *rt_r, *rt_t, *st_s, *st_t, *all_s, *all_t;
} pencil_pointers;

/* Pencil p of the block's element b. */
BP_DEVICE pencil_pointers pencil_pointers_of(real *buffers, int b, int p)
{
  const int j = p / BP_NC, i = p % BP_NC;
  real *const buffer_r = buffers, *const buffer_s = buffer_r + ELEMENTS_PER_BLOCK * BUFFER_R;
  real *const all = buffer_s + ELEMENTS_PER_BLOCK * BUFFER_S + b * BUFFER_ALL;
  real *const rs =
      SPLIT ? buffer_s + ELEMENTS_PER_BLOCK * (BUFFER_S + BUFFER_ALL) + b * BUFFER_RS : all;
  pencil_pointers at;
  at.p = p;
  at.ts_t = buffer_r + b * BUFFER_TS + p / BP_NQ * TS_J + p % BP_NQ * TS_I;
  at.ts_s = buffer_r + b * BUFFER_TS + S_K(p) * TS_K + S_I(p) * TS_I;
  at.sr_s = buffer_s + b * BUFFER_SR + S_K(p) * SR_K(ROWS_BY_J) + S_I(p) * SR_I(ROWS_BY_J);
  at.sr_r = buffer_s + b * BUFFER_SR + R_K(ROWS_BY_J, p) * SR_K(ROWS_BY_J) +
            R_J(ROWS_BY_J, p) * SR_J(ROWS_BY_J);
  at.rs_r = rs + R_K(ROWS_BY_J, p) * RS_K + R_J(ROWS_BY_J, p) * RS_J;
  at.rs_s = rs + j * RS_K + i;
  at.rt_r =
      buffer_r + b * BUFFER_RT + R_K(ROWS_BY_J, p) * RT_K(ROWS_BY_J) + R_J(ROWS_BY_J, p) * BP_NC;
  at.rt_t = buffer_r + b * BUFFER_RT + p;
  at.st_s = buffer_s + b * BUFFER_ST + j * ST_K + i;
  at.st_t = buffer_s + b * BUFFER_ST + p;
  at.all_s = all + j * ALL_K + i;
  at.all_t = all + p;
  return at;
}

/* ---- to points: t from u's column x, s, r with the derivative along r ---- */

BP_DEVICE void to_points_t(const pencil_matrices *m, const pencil_pointers *at, const real *x)
{
  real y[BP_NC];
  if (at->p < NODES_2D) {
    pencil_interpolate(m, x, y);
    pencil_store(at->ts_t, TS_K, BP_NC, y);
  }
}

BP_DEVICE void to_points_s(const pencil_matrices *m, const pencil_pointers *at)
{
  real x[BP_NQ], y[BP_NC];
  if (at->p < BP_NC * BP_NQ) {
    pencil_load(at->ts_s, TS_J, BP_NQ, x);
    pencil_interpolate(m, x, y);
    pencil_store(at->sr_s, SR_J(ROWS_BY_J), BP_NC, y);
  }
}

BP_DEVICE void to_points_r(const pencil_matrices *m, const pencil_pointers *at)
{
  real x[BP_NC], y[BP_NC];
  if (at->p < POINTS_2D) {
    pencil_load(at->sr_r, SR_I(ROWS_BY_J), BP_NQ, x);
    pencil_interpolate(m, x, y);
    pencil_store(at->rs_r, 1, BP_NC, y);
    pencil_differentiate(m, y, x);
    pencil_store(at->rt_r, 1, BP_NC, x);
  }
}

/* ---- the derivatives along s and t, the metric between, their transposes. A barrier comes behind
 * derivative_s where SPLIT, else behind derivative_t ---- */

BP_DEVICE void derivative_s(const pencil_matrices *m, const pencil_pointers *at)
{
  real x[BP_NC], y[BP_NC];
  if (at->p < POINTS_2D) {
    pencil_load(at->rs_s, RS_J, BP_NC, x);
    pencil_differentiate(m, x, y);
    pencil_store(at->st_s, BP_NC, BP_NC, y);
    if (SPLIT)
      pencil_store(at->all_s, BP_NC, BP_NC, x);
  }
}

BP_DEVICE void derivative_t(const pencil_matrices *m, const pencil_pointers *at, real *wu, real *ut)
{
  if (at->p < POINTS_2D) {
    pencil_load(at->all_t, ALL_K, BP_NC, wu);
    pencil_differentiate(m, wu, ut);
  }
}

BP_DEVICE void transposed_t(const pencil_matrices *m, const pencil_pointers *at, real *wu,
                            const real *ut)
{
  if (at->p < POINTS_2D) {
    pencil_add_transposed(m, ut, wu);
    pencil_store(at->all_t, ALL_K, BP_NC, wu);
  }
}

BP_DEVICE void transposed_s(const pencil_matrices *m, const pencil_pointers *at)
{
  real x[BP_NC], y[BP_NC];
  if (at->p < POINTS_2D) {
    pencil_load(at->st_s, BP_NC, BP_NC, x);
    pencil_load(at->all_s, BP_NC, BP_NC, y);
    pencil_add_transposed(m, x, y);
    pencil_store(at->rs_s, RS_J, BP_NC, y);
  }
}

/* ---- to nodes: r, after its transpose, s, t into x ---- */

BP_DEVICE void to_nodes_r(const pencil_matrices *m, const pencil_pointers *at)
{
  real x[BP_NC], y[BP_NC];
  if (at->p < POINTS_2D) {
    pencil_load(at->rt_r, 1, BP_NC, x);
    pencil_load(at->rs_r, 1, BP_NC, y);
    pencil_add_transposed(m, x, y);
    pencil_project(m, y, x);
    pencil_store(at->sr_r, SR_I(ROWS_BY_J), BP_NQ, x);
  }
}

BP_DEVICE void to_nodes_s(const pencil_matrices *m, const pencil_pointers *at)
{
  real x[BP_NQ], y[BP_NC];
  if (at->p < BP_NC * BP_NQ) {
    pencil_load(at->sr_s, SR_J(ROWS_BY_J), BP_NC, y);
    pencil_project(m, y, x);
    pencil_store(at->ts_s, TS_J, BP_NQ, x);
  }
}

BP_DEVICE void to_nodes_t(const pencil_matrices *m, const pencil_pointers *at, real *x)
{
  real y[BP_NC];
  if (at->p < NODES_2D) {
    pencil_load(at->ts_t, TS_K, BP_NC, y);
    pencil_project(m, y, x);
  }
}

#endif
