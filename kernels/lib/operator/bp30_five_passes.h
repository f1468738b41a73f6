/* bp30_five_passes.h -- BP3.0 by pencils in registers in five passes: derivatives straight from the
 * nodes, by D I.
 *
 * Along t, u becomes u and its derivative at the points of t. Along s these become three values, along r four. So the
 * thread of a pencil along r has all that the factors need, and takes it back. What passes between threads has nodes
 * in one direction at least: two buffers per element between t and s, there and back, and three between s and r. The
 * block's threads pass a barrier between passes. Factors lie as ecijk. Its option: elements_per_block.
 *
 * size: exchange = 2 * buffer_ts + 3 * buffer_sr_ecijk -- doubles of an element's buffers */
#ifndef BP_KERNELS_BP30_FIVE_PASSES_H
#define BP_KERNELS_BP30_FIVE_PASSES_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/operator/element.h"

enum {
  FIVE_PASS_T_STEP =
      ELEMENTS_PER_BLOCK * BUFFER_TS, /* from buffer to buffer: u, its t derivative */
  FIVE_PASS_R_STEP =
      ELEMENTS_PER_BLOCK * BUFFER_SR_ECIJK /* u, its s derivative, its t derivative */
};

/* Where the pencils of the thread lie: xy_x is its x pencil in the first buffer between directions
 * x and y. */
typedef struct {
  int p; /* its number in the element; POINTS_2D: none */
  real *ts_t, *ts_s, *sr_s, *sr_r;
} five_pass_pointers;

/* Pencil p of the block's element b. */
BP_DEVICE five_pass_pointers five_pass_pointers_of(real *buffers, int b, int p)
{
  real *const ts = buffers + b * BUFFER_TS, *const sr = buffers + 2 * FIVE_PASS_T_STEP +
                                                        b * BUFFER_SR_ECIJK;
  const five_pass_pointers at = {p, ts + p / BP_NQ * TS_J + p % BP_NQ * TS_I,
                                 ts + S_K(p) * TS_K + S_I(p) * TS_I,
                                 sr + S_K(p) * SR_K(false) + S_I(p) * SR_I(false),
                                 sr + R_K(false, p) * SR_K(false) + R_J(false, p) * SR_J(false)};
  return at;
}

/* to[c] = sum over q of (D I)[c][q] from[q] */
BP_DEVICE void five_pass_derive(const real *from, real *to)
{
  const pencil_halves DI = {bp_DI_even[0], bp_DI_odd[0], BP_HALF(BP_NQ), 1};
  pencil_contract(DI, -1, false, BP_NQ, BP_NC, from, to);
}

/* to[q] = sum over c of I[c][q] value[c] + (D I)[c][q] derivative[c]: the halves of D I change places. */
BP_DEVICE void five_pass_project(const real *value, const real *derivative, real *to)
{
  real e[BP_HALF(BP_NC)], o[BP_HALF(BP_NC)], de[BP_HALF(BP_NC)], dd[BP_HALF(BP_NC)];
  pencil_split(value, BP_NC, e, o);
  pencil_split(derivative, BP_NC, de, dd);
  BP_UNROLL
  for (int a = 0; a < BP_HALF(BP_NQ); ++a) {
    real p = 0, q = 0;
    PENCIL_SUM(p, BP_HALF(BP_NC), bp_I_even[b][a], e);
    PENCIL_SUM(p, BP_NC / 2, bp_DI_even[b][a], dd);
    PENCIL_SUM(q, BP_NC / 2, bp_I_odd[b][a], o);
    PENCIL_SUM(q, BP_HALF(BP_NC), bp_DI_odd[b][a], de);
    to[a] = p + q;
    if (a != BP_NQ - 1 - a)
      to[BP_NQ - 1 - a] = p - q;
  }
}

/* ---- to points: t, from u's column x; s ---- */

BP_DEVICE void five_pass_t(const five_pass_pointers *at, const real *x)
{
  real y[BP_NC];
  if (at->p < NODES_2D) {
    pencil_interpolate(IN_CONSTANTS, x, y);
    pencil_store(at->ts_t, TS_K, BP_NC, y);
    five_pass_derive(x, y);
    pencil_store(at->ts_t + FIVE_PASS_T_STEP, TS_K, BP_NC, y);
  }
}

BP_DEVICE void five_pass_s(const five_pass_pointers *at)
{
  real x[BP_NQ], y[BP_NC];
  if (at->p < BP_NC * BP_NQ) {
    pencil_load(at->ts_s, TS_J, BP_NQ, x);
    pencil_interpolate(IN_CONSTANTS, x, y);
    pencil_store(at->sr_s, SR_J(false), BP_NC, y);
    five_pass_derive(x, y);
    pencil_store(at->sr_s + FIVE_PASS_R_STEP, SR_J(false), BP_NC, y);
    pencil_load(at->ts_s + FIVE_PASS_T_STEP, TS_J, BP_NQ, x);
    pencil_interpolate(IN_CONSTANTS, x, y);
    pencil_store(at->sr_s + 2 * FIVE_PASS_R_STEP, SR_J(false), BP_NC, y);
  }
}

/* ---- r, to points, through the factors, and back. Those of the pencil's first point are at `f`,
 * `next_point` from point to point, `next_factor` from one to the next ---- */

BP_DEVICE void five_pass_r(const five_pass_pointers *at, const real *f, int next_point,
                           int next_factor, real lambda)
{
  real x[BP_NQ], value[BP_NC], r[BP_NC], s[BP_NC], t[BP_NC];
  if (at->p < POINTS_2D) {
    pencil_load(at->sr_r, SR_I(false), BP_NQ, x);
    pencil_interpolate(IN_CONSTANTS, x, value);
    five_pass_derive(x, r);
    pencil_load(at->sr_r + FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
    pencil_interpolate(IN_CONSTANTS, x, s);
    pencil_load(at->sr_r + 2 * FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
    pencil_interpolate(IN_CONSTANTS, x, t);
    BP_UNROLL
    for (int i = 0; i < BP_NC; ++i)
      flux(f + i * next_point, next_factor, lambda, &r[i], &s[i], &t[i], &value[i]);
    five_pass_project(value, r, x);
    pencil_store(at->sr_r, SR_I(false), BP_NQ, x);
    pencil_project(IN_CONSTANTS, s, x);
    pencil_store(at->sr_r + FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
    pencil_project(IN_CONSTANTS, t, x);
    pencil_store(at->sr_r + 2 * FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  }
}

/* ---- to nodes: s; t, into x ---- */

BP_DEVICE void five_pass_back_s(const five_pass_pointers *at)
{
  real x[BP_NQ], y[BP_NC], z[BP_NC];
  if (at->p < BP_NC * BP_NQ) {
    pencil_load(at->sr_s, SR_J(false), BP_NC, y);
    pencil_load(at->sr_s + FIVE_PASS_R_STEP, SR_J(false), BP_NC, z);
    five_pass_project(y, z, x);
    pencil_store(at->ts_s, TS_J, BP_NQ, x);
    pencil_load(at->sr_s + 2 * FIVE_PASS_R_STEP, SR_J(false), BP_NC, y);
    pencil_project(IN_CONSTANTS, y, x);
    pencil_store(at->ts_s + FIVE_PASS_T_STEP, TS_J, BP_NQ, x);
  }
}

BP_DEVICE void five_pass_back_t(const five_pass_pointers *at, real *x)
{
  real y[BP_NC], z[BP_NC];
  if (at->p < NODES_2D) {
    pencil_load(at->ts_t, TS_K, BP_NC, y);
    pencil_load(at->ts_t + FIVE_PASS_T_STEP, TS_K, BP_NC, z);
    five_pass_project(y, z, x);
  }
}

#endif
