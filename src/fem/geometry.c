/* geometry.c -- element maps by tensor interpolation of their equispaced nodes. */
#include "fem/geometry.h"

#include "base/status.h"
#include "base/vectors.h"
#include "fem/basis.h"

enum { SPACE = 3 };

void bp_geometry_create(bp_geometry *geometry, int order, int n, const double *points)
{
  BP_ASSERT(order >= 1 && order <= BP_MESH_ORDER_MAX && n >= 1 && n <= BP_POINTS_MAX);
  double nodes[BP_MESH_ORDER_MAX + 1];
  for (int i = 0; i <= order; ++i)
    nodes[i] = (2.0 * i - order) / order;
  geometry->order = order;
  geometry->n = n;
  for (int i = 0; i < n; ++i)
    geometry->points[i] = points[i];
  bp_basis_interpolate(order + 1, nodes, n, points, geometry->value);
  bp_basis_differentiate(order + 1, nodes, n, points, geometry->slope);
}

int64_t bp_geometry_scratch(const bp_geometry *geometry)
{
  int64_t m = geometry->order + 1, n = geometry->n;
  return SPACE * (m * m * m + 2 * m * m * n + 3 * m * n * n);
}

/* local[c][k][j][i] = the nodes of element e minus *origin. */
static void gather_nodes(const bp_mesh *mesh, int64_t e, const double *origin, double *local)
{
  int64_t count = bp_mesh_element_nodes(mesh);
  const int32_t *node = mesh->node + e * count;
  for (int64_t n = 0; n < count; ++n)
    for (int c = 0; c < SPACE; ++c)
      local[c * count + n] = mesh->x[SPACE * (int64_t)node[n] + c] - origin[c];
}

/* out[o][b][n] = sum over a of m[b][a] in[o][a][n]; the sum is outside so that n runs in vectors.
 */
BP_VECTORS static void contract(int outer, int from, int to, int inner, const double *m,
                                const double *in, double *out)
{
  for (int o = 0; o < outer; ++o, in += from * inner)
    for (int b = 0; b < to; ++b, out += inner) {
      const double *row = m + b * from;
#pragma omp simd
      for (int n = 0; n < inner; ++n)
        out[n] = row[0] * in[n];
      for (int a = 1; a < from; ++a)
#pragma omp simd
        for (int n = 0; n < inner; ++n)
          out[n] += row[a] * in[a * inner + n];
    }
}

void bp_geometry_positions(const bp_geometry *geometry, const bp_mesh *mesh, int64_t e,
                           double *scratch, double *x)
{
  static const double origin[SPACE] = {0};
  int m = geometry->order + 1, n = geometry->n;
  double *local = scratch, *r = local + SPACE * m * m * m, *rs = r + SPACE * m * m * n;
  gather_nodes(mesh, e, origin, local);
  contract(SPACE * m * m, m, n, 1, geometry->value, local, r);
  contract(SPACE * m, m, n, n, geometry->value, r, rs);
  contract(SPACE, m, n, n * n, geometry->value, rs, x);
}

/* Trilinear maps, which most meshes are made of: x = a + b r + c s + d t + e rs + f rt + g st + h
 * rst. */
BP_VECTORS static void trilinear_jacobians(const bp_geometry *geometry, const double *local,
                                           double *J)
{
  int n = geometry->n, count = n * n * n;
  const double *p = geometry->points;
  for (int c = 0; c < SPACE; ++c, local += 8, J += count) {
    double sum[4], difference[4]; /* along r, at the four (s, t) corners; over 8 and its doubles */
    for (int q = 0; q < 4; ++q) {
      sum[q] = 0.125 * (local[2 * q + 1] + local[2 * q]);
      difference[q] = 0.125 * (local[2 * q + 1] - local[2 * q]);
    }
    double r = difference[0] + difference[1] + difference[2] + difference[3];
    double rs = difference[1] + difference[3] - difference[0] - difference[2];
    double rt = difference[2] + difference[3] - difference[0] - difference[1];
    double rst = difference[0] + difference[3] - difference[1] - difference[2];
    double s = sum[1] + sum[3] - sum[0] - sum[2];
    double t = sum[2] + sum[3] - sum[0] - sum[1];
    double st = sum[0] + sum[3] - sum[1] - sum[2];
    double *Jr = J, *Js = J + SPACE * count, *Jt = J + 2 * SPACE * count;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          *Jr++ = r + rs * p[j] + rt * p[k] + rst * p[j] * p[k];
          *Js++ = s + rs * p[i] + st * p[k] + rst * p[i] * p[k];
          *Jt++ = t + rt * p[i] + st * p[j] + rst * p[i] * p[j];
        }
  }
}

void bp_geometry_jacobians(const bp_geometry *geometry, const bp_mesh *mesh, int64_t e,
                           double *scratch, double *J)
{
  int m = geometry->order + 1, n = geometry->n;
  int64_t first = mesh->node[e * bp_mesh_element_nodes(mesh)], plane = SPACE * m * n * n;
  double *local = scratch, *r = local + SPACE * m * m * m, *dr = r + SPACE * m * m * n;
  double *ds = dr + SPACE * m * m * n, *dt = ds + plane, *drs = dt + plane;
  gather_nodes(mesh, e, mesh->x + SPACE * first, local);
  if (m == 2) {
    trilinear_jacobians(geometry, local, J);
    return;
  }
  const double *value = geometry->value, *slope = geometry->slope;
  contract(SPACE * m * m, m, n, 1, value, local, r);
  contract(SPACE * m * m, m, n, 1, slope, local, dr);
  contract(SPACE * m, m, n, n, value, dr, drs);
  contract(SPACE * m, m, n, n, slope, r, ds);
  contract(SPACE * m, m, n, n, value, r, dt);
  int64_t part = SPACE * n * n * n;
  contract(SPACE, m, n, n * n, value, drs, J);
  contract(SPACE, m, n, n * n, value, ds, J + part);
  contract(SPACE, m, n, n * n, slope, dt, J + 2 * part);
}
