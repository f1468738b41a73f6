/* host_geometry.h -- where a slab's factors come from, k fixed: from memory, or from a few vectors that tell
 * the elements' maps and stand in the factors' place (fem/map.h). */
#ifndef BP_KERNELS_HOST_GEOMETRY_H
#define BP_KERNELS_HOST_GEOMETRY_H

#include "abi/simd.h"

enum {
  SLAB_FACTORS = BP_IS_STORED ? 1 : 7 * BP_NC * BP_NC /* vectors to compute them in */
};

/* From element to element, `all` of `points` points where they are in memory. */
BP_INLINE int host_element_factors(int components, int points)
{
  return BP_IS_STORED       ? components * points
         : BP_GEOMETRY == 1 ? components
         : BP_GEOMETRY == 2 ? 21
                            : 78;
}

BP_INLINE void shape_cross(bp_vector *c, const bp_vector *a, const bp_vector *b)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

BP_INLINE bp_vector shape_dot(const bp_vector *a, const bp_vector *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#if BP_GEOMETRY > 1

enum { POWERS = BP_GEOMETRY }; /* of a coordinate in the map: 2, or 3 of quadratic elements */

BP_INLINE bp_vector host_polynomial(const bp_vector *p, int step, real x)
{
  bp_vector sum = p[(POWERS - 1) * step];
#pragma GCC unroll 9
  for (int n = POWERS - 2; n >= 0; --n)
    sum = p[n * step] + x * sum;
  return sum;
}

BP_INLINE bp_vector host_derivative(const bp_vector *p, int step, real x)
{
  bp_vector sum = (real)(POWERS - 1) * p[(POWERS - 1) * step];
#pragma GCC unroll 9
  for (int n = POWERS - 2; n > 0; --n)
    sum = (real)n * p[n * step] + x * sum;
  return sum;
}

/* The map, and its derivative along t, by powers of s and r. */
typedef struct {
  bp_vector at[POWERS][POWERS][3], slope[POWERS][POWERS][3];
} host_plane;

/* Along a row of points along r the map's derivatives are polynomials. */
BP_INLINE void host_map_row(const host_plane *m, const real *point, const real *weight,
                            int components, int j, int k, bp_vector *f, int point_step,
                            int factor_step)
{
  const int step = 3 * POWERS; /* from power to power of s */
  bp_vector r[POWERS][3], s[POWERS][3], t[POWERS][3];
#pragma GCC unroll 9
  for (int n = 0; n < POWERS; ++n)
#pragma GCC unroll 9
    for (int c = 0; c < 3; ++c) {
      r[n][c] = host_polynomial(&m->at[0][n][c], step, point[j]);
      s[n][c] = host_derivative(&m->at[0][n][c], step, point[j]);
      t[n][c] = host_polynomial(&m->slope[0][n][c], step, point[j]);
    }
  for (int i = 0; i < BP_NC; ++i, f += point_step) {
    bp_vector xr[3], xs[3], xt[3], rr[3];
#pragma GCC unroll 9
    for (int c = 0; c < 3; ++c) {
      xr[c] = host_derivative(&r[0][c], 3, point[i]);
      xs[c] = host_polynomial(&s[0][c], 3, point[i]);
      xt[c] = host_polynomial(&t[0][c], 3, point[i]);
    }
    shape_cross(rr, xs, xt);
    const bp_vector det = shape_dot(xr, rr);
    const real w = weight[i] * weight[j] * weight[k];
    if (components != 6)
      f[(components - 1) * factor_step] = w * det;
    if (components == 1)
      continue;
    const bp_vector scale = w / det;
    bp_vector rs[3], rt[3];
    shape_cross(rs, xt, xr);
    shape_cross(rt, xr, xs);
    f[0] = scale * shape_dot(rr, rr);
    f[factor_step] = scale * shape_dot(rr, rs);
    f[2 * factor_step] = scale * shape_dot(rr, rt);
    f[3 * factor_step] = scale * shape_dot(rs, rs);
    f[4 * factor_step] = scale * shape_dot(rs, rt);
    f[5 * factor_step] = scale * shape_dot(rt, rt);
  }
}

static __attribute__((noinline, unused)) void host_compute_slab(const bp_vector *map,
                                                                const real *rule, int components,
                                                                int k, int point_step,
                                                                int factor_step, bp_vector *f)
{
  const int plane = POWERS * POWERS;
  host_plane m;
#pragma GCC unroll 9
  for (int n = 0; n < plane; ++n)
#pragma GCC unroll 9
    for (int c = 0; c < 3; ++c) {
      bp_vector p[POWERS] = {{0}};
#pragma GCC unroll 9
      for (int power = n == 0; power < POWERS; ++power)
        p[power] = map[3 * (n + power * plane - 1) + c];
      m.at[n / POWERS][n % POWERS][c] = host_polynomial(p, 1, rule[k]);
      m.slope[n / POWERS][n % POWERS][c] = host_derivative(p, 1, rule[k]);
    }
  for (int j = 0; j < BP_NC; ++j)
    host_map_row(&m, rule, rule + BP_NC, components, j, k, f + j * BP_NC * point_step, point_step,
                 factor_step);
}

#else

/* 6 factors, 7 with the mass, or the mass alone: affine elements have the same everywhere but for weights. */
static __attribute__((noinline, unused)) void host_compute_slab(const bp_vector *map,
                                                                const real *rule, int components,
                                                                int k, int point_step,
                                                                int factor_step, bp_vector *f)
{
  const real *const weight = rule + BP_NC;
  for (int j = 0; j < BP_NC; ++j, f += BP_NC * point_step)
    for (int c = 0; c < components; ++c) {
      const bp_vector all = weight[j] * weight[k] * bp_load(map + c);
      for (int i = 0; i < BP_NC; ++i)
        f[i * point_step + c * factor_step] = weight[i] * all;
    }
}

#endif

/* Those of slab k of a group of elements whose factors begin at `element`. `rule`: points, then weights. */
BP_INLINE const bp_factors *host_slab_factors(const stored *element, const real *rule,
                                              int components, int k, int point_step,
                                              int factor_step, bp_vector *buffer)
{
  const bp_factors *from = (const bp_factors *)element;
  if (BP_IS_STORED)
    return from + k * components * BP_NC * BP_NC;
  host_compute_slab((const bp_vector *)from, rule, components, k, point_step, factor_step, buffer);
  return (const bp_factors *)buffer;
}

#endif
