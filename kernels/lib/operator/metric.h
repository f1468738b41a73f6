/* metric.h -- what BP3 and BP5, and BP1's mass, do at the points of a line: by factors that are stored,
 * or from what tells the map of the element and stands in the factors' place (fem/map.h of the host).
 *
 * An affine element has the same factors everywhere, but for the weights.
 *
 * Along a line of another, x the coordinate along it, y and z the next two of r, s, t, the derivatives of
 * the map are polynomials in x, whose coefficients are computed once a line. The rows of det J times the
 * inverse of J are cross products of these. Where the map is trilinear, the derivative along x is constant
 * and the others are linear: the rows' coefficients are computed once, too. At a point the flux is W / det J
 * times rows times (rows times gradient), and the metric itself is never formed. */
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
BP_DEVICE real mass_weight(const metric_line *line, int n)
{
  return metric_factor(line, n, 0);
}

#else

enum { POWERS = BP_GEOMETRY }; /* of a coordinate in the map: 2, or 3 of quadratic elements */

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

BP_DEVICE real polynomial(const real *p, real x)
{
  real sum = p[POWERS - 1];
  BP_UNROLL
  for (int n = POWERS - 2; n >= 0; --n)
    sum = p[n] + x * sum;
  return sum;
}

BP_DEVICE real derivative(const real *p, real x)
{
  real sum = (POWERS - 1) * p[POWERS - 1];
  BP_UNROLL
  for (int n = POWERS - 2; n > 0; --n)
    sum = n * p[n] + x * sum;
  return sum;
}

/* The derivatives of the map along a line by powers of x. */
typedef struct {
  real x[POWERS - 1][3], y[POWERS][3], z[POWERS][3];
} map_line;

BP_DEVICE map_line map_line_of(const stored *map, line_direction along, real y, real z)
{
  const int steps[3] = {3, 3 * POWERS, 3 * POWERS * POWERS}, dx = steps[along],
            dy = steps[(along + 1) % 3], dz = steps[(along + 2) % 3];
  map_line m;
  BP_UNROLL
  for (int c = 0; c < 3; ++c)
    BP_UNROLL
  for (int a = 0; a < POWERS; ++a) {
    real at[POWERS], slope[POWERS]; /* by powers of y: the map at z, its derivative along z */
    BP_UNROLL
    for (int b = 0; b < POWERS; ++b) {
      real p[POWERS];
      BP_UNROLL
      for (int k = 0; k < POWERS; ++k)
        p[k] = a + b + k ? map[a * dx + b * dy + k * dz + c - 3] : 0;
      at[b] = polynomial(p, z);
      slope[b] = derivative(p, z);
    }
    if (a)
      m.x[a - 1][c] = a * polynomial(at, y);
    m.y[a][c] = derivative(at, y);
    m.z[a][c] = polynomial(slope, y);
  }
  return m;
}

#if BP_GEOMETRY == 2

/* The line's part of W / det J, and the coefficients of the polynomials in x: det J, the rows of x, y, z. */
typedef struct {
  real weight, det[3], x0[3], x1[3], x2[3], y0[3], y1[3], z0[3], z1[3];
} metric_line;

BP_DEVICE metric_line metric_line_of(const stored *element, int at, int point_step, int factor_step,
                                     line_direction along, int y, int z)
{
  const map_line m = map_line_of(element, along, bp_point[y], bp_point[z]);
  metric_line line = {bp_weight[y] * bp_weight[z]};
  real other[3];
  cross(line.x0, m.y[0], m.z[0]);
  cross(line.x1, m.y[0], m.z[1]);
  cross(other, m.y[1], m.z[0]);
  BP_UNROLL
  for (int c = 0; c < 3; ++c)
    line.x1[c] += other[c];
  cross(line.x2, m.y[1], m.z[1]);
  line.det[0] = dot(m.x[0], line.x0);
  line.det[1] = dot(m.x[0], line.x1);
  line.det[2] = dot(m.x[0], line.x2);
  cross(line.y0, m.z[0], m.x[0]);
  cross(line.y1, m.z[1], m.x[0]);
  cross(line.z0, m.x[0], m.y[0]);
  cross(line.z1, m.x[0], m.y[1]);
  (void)at, (void)point_step, (void)factor_step;
  return line;
}

/* The rows at x; returns det J. */
BP_DEVICE real metric_rows(const metric_line *line, real at, real *x, real *y, real *z)
{
  BP_UNROLL
  for (int c = 0; c < 3; ++c) {
    x[c] = line->x0[c] + at * (line->x1[c] + at * line->x2[c]);
    y[c] = line->y0[c] + at * line->y1[c];
    z[c] = line->z0[c] + at * line->z1[c];
  }
  return line->det[0] + at * (line->det[1] + at * line->det[2]);
}

#else

typedef struct {
  real weight;
  map_line map;
} metric_line;

BP_DEVICE metric_line metric_line_of(const stored *element, int at, int point_step, int factor_step,
                                     line_direction along, int y, int z)
{
  const metric_line line = {bp_weight[y] * bp_weight[z],
                            map_line_of(element, along, bp_point[y], bp_point[z])};
  (void)at, (void)point_step, (void)factor_step;
  return line;
}

BP_DEVICE real metric_rows(const metric_line *line, real at, real *x, real *y, real *z)
{
  const map_line *const m = &line->map;
  real along_x[3], along_y[3], along_z[3];
  BP_UNROLL
  for (int c = 0; c < 3; ++c) {
    along_x[c] = m->x[0][c] + at * m->x[1][c];
    along_y[c] = m->y[0][c] + at * (m->y[1][c] + at * m->y[2][c]);
    along_z[c] = m->z[0][c] + at * (m->z[1][c] + at * m->z[2][c]);
  }
  cross(x, along_y, along_z);
  cross(y, along_z, along_x);
  cross(z, along_x, along_y);
  return dot(along_x, x);
}

#endif

BP_DEVICE void metric_flux(const metric_line *line, int n, line_direction along, real lambda,
                           real *x, real *y, real *z, real *u, real *energy)
{
  real rx[3], ry[3], rz[3], q[3];
  const real det = metric_rows(line, bp_point[n], rx, ry, rz), w = line->weight * bp_weight[n],
             scale = w * bp_reciprocal(det), wu = BP_COMPONENTS == 7 ? lambda * (w * det) * *u : 0;
  BP_UNROLL
  for (int c = 0; c < 3; ++c)
    q[c] = rx[c] * *x + ry[c] * *y + rz[c] * *z;
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

/* W at point n of the line. */
BP_DEVICE real mass_weight(const metric_line *line, int n)
{
  real x[3], y[3], z[3];
  return line->weight * bp_weight[n] * metric_rows(line, bp_point[n], x, y, z);
}

#endif

/* For mass_weight alone. */
typedef metric_line mass_line;

BP_DEVICE mass_line mass_line_of(const stored *element, int at, int point_step,
                                 line_direction along, int y, int z)
{
  return metric_line_of(element, at, point_step, 0, along, y, z);
}

#endif
