/* apply_bp3.h -- the operator of BP3 and BP4 in a solve. A scheme's header goes before it.
 *
 * Pencils go in the five passes of bp30_five_passes.h. In shared memory: two buffers for what passes between t
 * and s, three between s and r. The cubes lie where the latter begin.
 *
 * degrees: 1..15
 * points:  1..5
 * factors: ecijk
 * geometry: stored affine trilinear quadratic
 * precision: mixed single
 * size: threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- of a block
 * size: cube_k = nq*nq -- doubles from plane to plane of a cube
 * size: cube = nq*nq*nq -- from element to element
 * size: exchanged = elements_per_block * (exchange) -- doubles that pass between pencils */
#ifndef BP_KERNELS_SOLVE_APPLY_BP3_H
#define BP_KERNELS_SOLVE_APPLY_BP3_H

#include "lib/operator/bp30_five_passes.h"
#include "lib/operator/metric.h"
#include "lib/solve/batches.h"

/* to[q] = sum over c of (D I)[c][q] from[c] */
BP_DEVICE void derive_back(const real *from, real *to)
{
  real e[BP_HALF(BP_NC)], o[BP_HALF(BP_NC)];
  pencil_split(from, BP_NC, e, o);
  BP_UNROLL
  for (int a = 0; a < BP_HALF(BP_NQ); ++a) {
    real p = 0, q = 0;
    PENCIL_SUM(p, BP_NC / 2, bp_DI_even[b][a], o);
    PENCIL_SUM(q, BP_HALF(BP_NC), bp_DI_odd[b][a], e);
    to[a] = p + q;
    if (a != BP_NQ - 1 - a)
      to[BP_NQ - 1 - a] = p - q;
  }
}

/* Along r, to points, through the factors, and back; returns the pencil's part of p . A p. */
BP_DEVICE real pencil_r(const five_pass_pointers *at, const stored *element, real lambda)
{
  const metric_line line = metric_line_of(element, at->p, POINTS_2D, POINTS_3D, ALONG_R,
                                          R_J(false, at->p), R_K(false, at->p));
  real x[BP_NQ], value[BP_NC], r[BP_NC], s[BP_NC], t[BP_NC], energy = 0;
  pencil_load(at->sr_r, SR_I(false), BP_NQ, x);
  if (BP_COMPONENTS == 7)
    pencil_interpolate(IN_CONSTANTS, x, value);
  five_pass_derive(x, r);
  pencil_load(at->sr_r + FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, s);
  pencil_load(at->sr_r + 2 * FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, t);
  BP_UNROLL
  for (int i = 0; i < BP_NC; ++i)
    metric_flux(&line, i, ALONG_R, lambda, &r[i], &s[i], &t[i], &value[i], &energy);
  if (BP_COMPONENTS == 7)
    five_pass_project(value, r, x);
  else
    derive_back(r, x);
  pencil_store(at->sr_r, SR_I(false), BP_NQ, x);
  pencil_project(IN_CONSTANTS, s, x);
  pencil_store(at->sr_r + FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  pencil_project(IN_CONSTANTS, t, x);
  pencil_store(at->sr_r + 2 * FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  return energy;
}

#define OPERATOR_MATRICES PENCIL_DI

typedef struct {
  real *cubes;
  five_pass_pointers pencils;
  int b;
} operator_places;

BP_DEVICE operator_places operator_places_of(real *buffers, int b, int pencil)
{
  operator_places p;
  p.cubes = buffers + 2 * FIVE_PASS_T_STEP;
  p.pencils = five_pass_pointers_of(buffers, b, pencil);
  if (b >= ELEMENTS_PER_BLOCK)
    p.pencils.p = POINTS_2D;
  p.b = b;
  return p;
}

BP_DEVICE void operator_apply(const operator_places *p, const node_column *nodes, item at,
                              item next, factor_slot *f, real lambda, int elements,
                              exact_sum *energy, real *x)
{
  if (nodes->lives)
    pencil_load(p->cubes + nodes->cube, CUBE_K, BP_NQ, x);
  five_pass_t(&p->pencils, x);
  BP_BARRIER();
  five_pass_s(&p->pencils);
  BP_BARRIER();
  factors_wait(f, at);
  if (p->b < batch_elements(at.batch, elements))
    exact_add(energy,
              pencil_r(&p->pencils, factors_at(f, at.batch) + p->b * BP_ELEMENT_FACTORS, lambda));
  BP_BARRIER();
  factors_next(f, next, elements);
  five_pass_back_s(&p->pencils);
  BP_BARRIER();
  five_pass_back_t(&p->pencils, x);
}

#include "lib/solve/apply_pencils.h"

#endif
