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
  return BP_IS_STORED ? components * points : BP_GEOMETRY == 1 ? components : 21;
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

/* A row of points along r: 6 factors, 7 with the mass, or the mass alone. Affine elements have the same
 * everywhere, but for the weights. */
BP_INLINE void host_affine_row(const bp_vector *map, const real *point, const real *weight,
                               int components, int j, int k, bp_vector *f, int point_step,
                               int factor_step)
{
  (void)point;
  for (int c = 0; c < components; ++c) {
    const bp_vector all = weight[j] * weight[k] * bp_load(map + c);
    for (int i = 0; i < BP_NC; ++i)
      f[i * point_step + c * factor_step] = weight[i] * all;
  }
}

/* The same of trilinear elements: the map's derivative along r is constant there, those along s and t are
 * linear. */
BP_INLINE void host_trilinear_row(const bp_vector *map, const real *point, const real *weight,
                                  int components, int j, int k, bp_vector *f, int point_step,
                                  int factor_step)
{
  const real s = point[j], t = point[k];
  bp_vector xr[3], s0[3], s1[3], t0[3], t1[3];
  for (int c = 0; c < 3; ++c) {
    const bp_vector *a = map + c; /* r s rs t rt st rst */
    s1[c] = a[6] + a[18] * t;
    t1[c] = a[12] + a[18] * s;
    xr[c] = a[0] + a[12] * t + s1[c] * s;
    s0[c] = a[3] + a[15] * t;
    t0[c] = a[9] + a[15] * s;
  }
  for (int i = 0; i < BP_NC; ++i, f += point_step) {
    bp_vector xs[3], xt[3], r[3];
    for (int c = 0; c < 3; ++c) {
      xs[c] = s0[c] + point[i] * s1[c];
      xt[c] = t0[c] + point[i] * t1[c];
    }
    shape_cross(r, xs, xt);
    const bp_vector det = shape_dot(xr, r);
    const real w = weight[i] * weight[j] * weight[k];
    if (components != 6)
      f[(components - 1) * factor_step] = w * det;
    if (components == 1)
      continue;
    const bp_vector scale = w / det;
    bp_vector rs[3], rt[3];
    shape_cross(rs, xt, xr);
    shape_cross(rt, xr, xs);
    f[0] = scale * shape_dot(r, r);
    f[factor_step] = scale * shape_dot(r, rs);
    f[2 * factor_step] = scale * shape_dot(r, rt);
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
  for (int j = 0; j < BP_NC; ++j)
    (BP_GEOMETRY == 1 ? host_affine_row : host_trilinear_row)(map, rule, rule + BP_NC, components,
                                                              j, k, f + j * BP_NC * point_step,
                                                              point_step, factor_step);
}

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
