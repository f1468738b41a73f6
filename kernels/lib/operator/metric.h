/* metric.h -- what BP3 and BP5, and BP1's mass, do at the points of a line: by factors that are stored,
 * or from what tells the map of the element and stands in the factors' place (fem/map.h of the host).
 *
 * An affine element has the same factors everywhere, but for the weights.
 *
 * Along a line of a trilinear element, x the coordinate along it, y and z the next two of r, s, t, the
 * derivative of the map along x is constant, those along y and z are linear in x. So the rows of det J
 * times the inverse of J, which are cross products of these, are linear and, along x, quadratic; so is
 * det J. Their coefficients are computed once a line; at a point the flux is W / det J times rows times
 * (rows times gradient), and the metric itself is never formed. */
#ifndef BP_KERNELS_METRIC_H
#define BP_KERNELS_METRIC_H

#include "lib/operator/flux.h"

#include "operators.h"

#define NO_ENERGY ((real *)0)

typedef enum { ALONG_R, ALONG_S, ALONG_T } line_direction;

#if BP_GEOMETRY < 2

/* Factors of the first point; from point to point, and from factor to factor of a point. Or those of all
 * points, with the line's weights. */
typedef struct {
  const stored *first;
  int point_step, factor_step;
  real all[7];
} metric_line;

/* `element`: where its factors begin, `at` those of the line. y and z tell a line of a trilinear element. */
BP_DEVICE metric_line metric_line_of(const stored *element, int at, int point_step, int factor_step,
                                     line_direction along, int y, int z)
{
  metric_line line = {element + at, point_step, factor_step, {0}};
  BP_UNROLL
  for (int c = 0; BP_GEOMETRY && c < BP_COMPONENTS; ++c)
    line.all[c] = bp_weight[y] * bp_weight[z] * element[c];
  (void)along, (void)y, (void)z;
  return line;
}

BP_DEVICE real metric_factor(const metric_line *line, int n, int c)
{
#if BP_GEOMETRY
  return bp_weight[n] * line->all[c];
#else
  return line->first[n * line->point_step + c * line->factor_step];
#endif
}

/* Point n of the line: the gradient along it and along the next two directions becomes the flux, u
 * becomes lambda W u, or 0 without a mass term. Adds the point's part of u . A u to *energy, unless that
 * is NO_ENERGY. */
BP_DEVICE void metric_flux(const metric_line *line, int n, line_direction along, real lambda,
                           real *x, real *y, real *z, real *u, real *energy)
{
  real *const r = along == ALONG_R ? x : along == ALONG_S ? z : y;
  real *const s = along == ALONG_R ? y : along == ALONG_S ? x : z;
  real *const t = along == ALONG_R ? z : along == ALONG_S ? y : x;
#if BP_GEOMETRY || BP_PRECISION == 1 /* floats become doubles */
  const int step = 1;
  real f[7] = {0};
  BP_UNROLL
  for (int c = 0; c < BP_COMPONENTS; ++c)
    f[c] = metric_factor(line, n, c);
#else
  const int step = line->factor_step;
  const real *const f = line->first + n * line->point_step;
#endif
  if (energy)
    *energy += flux_energy(f, step, lambda, r, s, t, u);
  else
    flux(f, step, lambda, r, s, t, u);
}

/* W at point n of the line. */
typedef metric_line mass_line;

BP_DEVICE mass_line mass_line_of(const stored *element, int at, int point_step,
                                 line_direction along, int y, int z)
{
  return metric_line_of(element, at, point_step, 0, along, y, z);
}

BP_DEVICE real mass_weight(const mass_line *line, int n)
{
  return metric_factor(line, n, 0);
}

#else

/* W / det J, and the coefficients of the polynomials in x: det J, the rows of y and z, the row of x. */
typedef struct {
  real weight, det[3];
} mass_line;

typedef struct {
  mass_line mass;
  real y0[3], y1[3], z0[3], z1[3], x0[3], x1[3], x2[3];
} metric_line;

BP_DEVICE void cross(real *c, const real *a, const real *b)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

BP_DEVICE real dot(const real *a, const real *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The derivatives of the map: along x; along y and z, each y0 + x y1. */
typedef struct {
  real x[3], y0[3], y1[3], z0[3], z1[3];
} map_line;

BP_DEVICE map_line map_line_of(const stored *map, line_direction along, real y, real z)
{
  const int dx = 1 << along, dy = 1 << (along + 1) % 3, dz = 1 << (along + 2) % 3;
  const stored *const ax = map + 3 * dx - 3, *const ay = map + 3 * dy - 3,
                      *const az = map + 3 * dz - 3, *const axy = map + 3 * (dx + dy) - 3,
                      *const axz = map + 3 * (dx + dz) - 3, *const ayz = map + 3 * (dy + dz) - 3,
                      *const axyz = map + 18;
  map_line m;
  BP_UNROLL
  for (int c = 0; c < 3; ++c) {
    m.y1[c] = axy[c] + axyz[c] * z;
    m.z1[c] = axz[c] + axyz[c] * y;
    m.x[c] = ax[c] + axz[c] * z + m.y1[c] * y;
    m.y0[c] = ay[c] + ayz[c] * z;
    m.z0[c] = az[c] + ayz[c] * y;
  }
  return m;
}

/* The row of x, y' cross z', times the derivative along x. */
BP_DEVICE mass_line mass_of(const map_line *m, real weight, real *x0, real *x1, real *x2)
{
  real other[3];
  cross(x0, m->y0, m->z0);
  cross(x1, m->y0, m->z1);
  cross(other, m->y1, m->z0);
  BP_UNROLL
  for (int c = 0; c < 3; ++c)
    x1[c] += other[c];
  cross(x2, m->y1, m->z1);
  const mass_line line = {weight, {dot(m->x, x0), dot(m->x, x1), dot(m->x, x2)}};
  return line;
}

BP_DEVICE metric_line metric_line_of(const stored *element, int at, int point_step, int factor_step,
                                     line_direction along, int y, int z)
{
  const map_line m = map_line_of(element, along, bp_point[y], bp_point[z]);
  metric_line line;
  line.mass = mass_of(&m, bp_weight[y] * bp_weight[z], line.x0, line.x1, line.x2);
  cross(line.y0, m.z0, m.x);
  cross(line.y1, m.z1, m.x);
  cross(line.z0, m.x, m.y0);
  cross(line.z1, m.x, m.y1);
  (void)at, (void)point_step, (void)factor_step;
  return line;
}

BP_DEVICE real determinant(const mass_line *line, real x)
{
  return line->det[0] + x * (line->det[1] + x * line->det[2]);
}

BP_DEVICE void metric_flux(const metric_line *line, int n, line_direction along, real lambda,
                           real *x, real *y, real *z, real *u, real *energy)
{
  const real at = bp_point[n], det = determinant(&line->mass, at),
             w = line->mass.weight * bp_weight[n], scale = w * bp_reciprocal(det),
             wu = BP_COMPONENTS == 7 ? lambda * (w * det) * *u : 0;
  real rx[3], ry[3], rz[3], q[3];
  BP_UNROLL
  for (int c = 0; c < 3; ++c) {
    rx[c] = line->x0[c] + at * (line->x1[c] + at * line->x2[c]);
    ry[c] = line->y0[c] + at * line->y1[c];
    rz[c] = line->z0[c] + at * line->z1[c];
    q[c] = rx[c] * *x + ry[c] * *y + rz[c] * *z;
  }
  if (energy)
    *energy += scale * dot(q, q) + (BP_COMPONENTS == 7 ? *u * wu : 0);
  BP_UNROLL
  for (int c = 0; c < 3; ++c)
    q[c] *= scale;
  *x = dot(rx, q);
  *y = dot(ry, q);
  *z = dot(rz, q);
  *u = wu;
  (void)along;
}

BP_DEVICE mass_line mass_line_of(const stored *element, int at, int point_step,
                                 line_direction along, int y, int z)
{
  const map_line m = map_line_of(element, along, bp_point[y], bp_point[z]);
  real x0[3], x1[3], x2[3];
  (void)at, (void)point_step;
  return mass_of(&m, bp_weight[y] * bp_weight[z], x0, x1, x2);
}

BP_DEVICE real mass_weight(const mass_line *line, int n)
{
  return line->weight * bp_weight[n] * determinant(line, bp_point[n]);
}

#endif
#endif
