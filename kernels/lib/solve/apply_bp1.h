/* apply_bp1.h -- the operator of BP1 and BP2 in a solve. A scheme's header goes before it.
 *
 * Pencils go along t, s, then r there and back with the weights between, s, t. In shared memory: a buffer for
 * what passes between t and s, one between s and r. The cubes lie where the latter begins.
 *
 * degrees: 1..15
 * points:  1..5
 * factors: ecijk
 * geometry: stored affine trilinear quadratic
 * precision: mixed single
 * size: threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- of a block
 * size: cube_k = nq*nq -- doubles from plane to plane of a cube
 * size: cube = nq*nq*nq -- from element to element
 * size: exchanged = elements_per_block * (buffer_ts + max(buffer_sr_ecijk, cube)) -- doubles that pass between pencils */
#ifndef BP_KERNELS_SOLVE_APPLY_BP1_H
#define BP_KERNELS_SOLVE_APPLY_BP1_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/operator/metric.h"
#include "lib/solve/batches.h"

/* A pencil through a pass, from nodes to points or back. */
BP_DEVICE void pass_there(const real *from, int step, real *to, int to_step)
{
  real x[BP_NQ], y[BP_NC];
  pencil_load(from, step, BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, y);
  pencil_store(to, to_step, BP_NC, y);
}

BP_DEVICE void pass_back(const real *from, int step, real *to, int to_step)
{
  real x[BP_NQ], y[BP_NC];
  pencil_load(from, step, BP_NC, y);
  pencil_project(IN_CONSTANTS, y, x);
  pencil_store(to, to_step, BP_NQ, x);
}

/* Along r, to points, through the weights, and back; returns the pencil's part of p . A p. */
BP_DEVICE real pencil_r(real *at, const mass_line *w)
{
  real x[BP_NQ], y[BP_NC], energy = 0;
  pencil_load(at, SR_I(false), BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, y);
  BP_UNROLL
  for (int i = 0; i < BP_NC; ++i) {
    const real wy = mass_weight(w, i) * y[i];
    energy += y[i] * wy;
    y[i] = wy;
  }
  pencil_project(IN_CONSTANTS, y, x);
  pencil_store(at, SR_I(false), BP_NQ, x);
  return energy;
}

#define OPERATOR_MATRICES PENCIL_NONE

typedef struct {
  real *cubes, *ts_t, *ts_s, *sr_s, *sr_r; /* where pencils along t, s and r begin */
  int b, pencil;
  bool is_s; /* has a pencil along s */
} operator_places;

BP_DEVICE operator_places operator_places_of(real *buffers, int b, int pencil)
{
  real *const ts = buffers + b * BUFFER_TS, *const cubes = buffers + ELEMENTS_PER_BLOCK * BUFFER_TS,
              *const sr = cubes + b * BUFFER_SR_ECIJK;
  operator_places p;
  p.cubes = cubes;
  p.ts_t = ts + pencil / BP_NQ * TS_J + pencil % BP_NQ * TS_I;
  p.ts_s = ts + S_K(pencil) * TS_K + S_I(pencil) * TS_I;
  p.sr_s = sr + S_K(pencil) * SR_K(false) + S_I(pencil) * SR_I(false);
  p.sr_r = sr + R_K(false, pencil) * SR_K(false) + R_J(false, pencil) * SR_J(false);
  p.b = b;
  p.pencil = pencil;
  p.is_s = b < ELEMENTS_PER_BLOCK && pencil < BP_NC * BP_NQ;
  return p;
}

BP_DEVICE void operator_apply(const operator_places *p, const node_column *nodes, item at,
                              item next, factor_slot *f, real lambda, int elements,
                              exact_sum *energy, real *x)
{
  (void)lambda;
  if (nodes->lives)
    pass_there(p->cubes + nodes->cube, CUBE_K, p->ts_t, TS_K);
  BP_BARRIER();
  if (p->is_s)
    pass_there(p->ts_s, TS_J, p->sr_s, SR_J(false));
  BP_BARRIER();
  factors_wait(f, at);
  if (p->b < batch_elements(at.batch, elements)) {
    const mass_line w =
        mass_line_of(factors_at(f, at.batch) + p->b * BP_ELEMENT_FACTORS, p->pencil, POINTS_2D,
                     ALONG_R, R_J(false, p->pencil), R_K(false, p->pencil));
    exact_add(energy, pencil_r(p->sr_r, &w));
  }
  BP_BARRIER();
  factors_next(f, next, elements);
  if (p->is_s)
    pass_back(p->sr_s, SR_J(false), p->ts_s, TS_J);
  BP_BARRIER();
  if (nodes->lives) {
    real y[BP_NC];
    pencil_load(p->ts_t, TS_K, BP_NC, y);
    pencil_project(IN_CONSTANTS, y, x);
  }
}

#include "lib/solve/apply_pencils.h"

#endif
