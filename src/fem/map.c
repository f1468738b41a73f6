/* map.c -- the polynomials of elements' maps, and which elements have which. */
#include "fem/map.h"

#include "base/text.h"
#include "fem/factors.h"
#include <math.h>
#include <string.h>

/* Exponents, or their sum, are at most `order`; flops beyond stored factors' at a point and of a line. */
static const struct {
  int order;
  bool is_linear;
  int of_point, of_line;
} rows[BP_GEOMETRIES] = {[BP_AFFINE] = {1, true, 6, 8},
                         [BP_TRILINEAR] = {1, false, 55, 130},
                         [BP_QUADRATIC] = {2, false, 85, 240}};

enum { NODES = (BP_MESH_ORDER_MAX + 1) * (BP_MESH_ORDER_MAX + 1) * (BP_MESH_ORDER_MAX + 1) };

static int cube(int n)
{
  return n * n * n;
}

int bp_map_numbers(bp_element_geometry geometry, int components)
{
  return rows[geometry].is_linear ? components : 3 * (cube(rows[geometry].order + 1) - 1);
}

int bp_map_flops(bp_element_geometry geometry, int points)
{
  return rows[geometry].of_point * cube(points) + rows[geometry].of_line * points * points;
}

void bp_map_fill(bp_element_geometry geometry, int components, const double *a, double *numbers)
{
  const bp_basis whole = {.nc = 1, .weight = {1}};
  const double middle = 0;
  double J[9];
  if (!rows[geometry].is_linear) {
    memcpy(numbers, a + 3, (size_t)bp_map_numbers(geometry, components) * sizeof *numbers);
    return;
  }
  bp_map_jacobians(geometry, a, 1, &middle, J);
  bp_factors_of(&whole, components, J, numbers);
}

/* x[n][c]: an element's nodes as seen from the first, so that elements far from the origin lose nothing. */
static void nodes_of(const bp_mesh *mesh, int64_t e, double *x)
{
  const int64_t count = cube(mesh->order + 1);
  const int32_t *node = mesh->node + e * count;
  for (int64_t n = 0; n < count; ++n)
    for (int c = 0; c < 3; ++c)
      x[3 * n + c] = mesh->x[3 * (int64_t)node[n] + c] - mesh->x[3 * (int64_t)node[0] + c];
}

/* m[n][a]: the part of equispaced node a of `nodes` in the coefficient of r^n, n <= order, of the polynomial
 * through what the nodes' own has at order + 1 equispaced points. */
static void fit(int order, int nodes, double *m)
{
  double node[BP_MESH_ORDER_MAX + 1] = {0}, at[3][BP_MESH_ORDER_MAX + 1] = {{0}};
  static const double points[3] = {-1, 1, 0};
  for (int a = 0; a < nodes; ++a)
    node[a] = (2.0 * a - (nodes - 1)) / (nodes - 1);
  for (int n = 0; n <= order; ++n)
    bp_basis_interpolate(nodes, node, 1, &points[n], at[n]);
  for (int a = 0; a < nodes; ++a) {
    const double mean = (at[1][a] + at[0][a]) / 2;
    m[a] = order == 1 ? mean : at[2][a];
    m[nodes + a] = (at[1][a] - at[0][a]) / 2;
    if (order == 2)
      m[2 * nodes + a] = mean - at[2][a];
  }
}

/* to[b][o][c] = sum over a of m[b][a] from[o][a][c]: the last direction first, which becomes the first. */
static void contract(int outer, int count, int to_count, const double *m, const double *from,
                     double *to)
{
  for (int b = 0; b < to_count; ++b)
    for (int o = 0; o < outer; ++o)
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int a = 0; a < count; ++a)
          sum += m[b * count + a] * from[3 * (o * count + a) + c];
        to[3 * (b * outer + o) + c] = sum;
      }
}

static bool has_term(bp_element_geometry geometry, int m)
{
  const int w = rows[geometry].order + 1;
  return !rows[geometry].is_linear || m % w + m / w % w + m / w / w <= 1;
}

/* Of nodes x[n][c]. */
static void map_of(bp_element_geometry geometry, int nodes, const double *x, double *a)
{
  const int w = rows[geometry].order + 1;
  double m[3 * (BP_MESH_ORDER_MAX + 1)], first[3 * NODES], second[3 * NODES];
  fit(w - 1, nodes, m);
  contract(nodes * nodes, nodes, w, m, x, first);
  contract(w * nodes, nodes, w, m, first, second);
  contract(w * w, nodes, w, m, second, a);
  for (int n = 0; n < cube(w); ++n)
    for (int c = 0; c < 3 && !has_term(geometry, n); ++c)
      a[3 * n + c] = 0;
}

void bp_map_of(bp_element_geometry geometry, const bp_mesh *mesh, int64_t e, double *a)
{
  double x[3 * NODES];
  nodes_of(mesh, e, x);
  map_of(geometry, mesh->order + 1, x, a);
}

void bp_map_random(bp_element_geometry geometry, bp_random *random, double *a)
{
  const int w = rows[geometry].order + 1, count = cube(w);
  const double most = 0.3 / (rows[geometry].is_linear ? 3 : count - 1); /* det J stays positive */
  for (int m = 0; m < count; ++m)
    for (int c = 0; c < 3; ++c)
      a[3 * m + c] = (m == (c == 0   ? 1
                            : c == 1 ? w
                                     : w * w)) +
                     (m && has_term(geometry, m) ? most * (2 * bp_random_unit(random) - 1) : 0);
}

/* r^n, and its slope. */
static void powers(int count, double r, double *value, double *slope)
{
  value[0] = 1;
  slope[0] = 0;
  for (int n = 1; n < count; ++n) {
    value[n] = value[n - 1] * r;
    slope[n] = n * value[n - 1];
  }
}

void bp_map_jacobians(bp_element_geometry geometry, const double *a, int n, const double *point,
                      double *J)
{
  const int w = rows[geometry].order + 1, points = cube(n);
  for (int q = 0; q < points; ++q) {
    double value[3][3], slope[3][3];
    const int at[3] = {q % n, q / n % n, q / n / n};
    for (int d = 0; d < 3; ++d)
      powers(w, point[at[d]], value[d], slope[d]);
    for (int d = 0; d < 3; ++d)
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int m = 1; m < cube(w); ++m)
          sum += (d == 0 ? slope : value)[0][m % w] * (d == 1 ? slope : value)[1][m / w % w] *
                 (d == 2 ? slope : value)[2][m / w / w] * a[3 * m + c];
        J[(3 * d + c) * points + q] = sum;
      }
  }
}

static double distance(const double *x, const double *y)
{
  return hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
}

double bp_map_deviation(bp_element_geometry geometry, const bp_mesh *mesh, int64_t e)
{
  const int p = mesh->order, w = rows[geometry].order + 1, last = cube(p + 1) - 1;
  double x[3 * NODES], a[3 * BP_MAP_TERMS], longest = 0, most = 0;
  nodes_of(mesh, e, x);
  map_of(geometry, p + 1, x, a);
  for (int v = 0; v < 4; ++v) {
    const int vertex = p * (v % 2 + v / 2 * (p + 1));
    longest = fmax(longest, distance(x + 3 * vertex, x + 3 * (last - vertex)));
  }
  for (int n = 0; n <= last; ++n) {
    double value[3][3], unused[3], y[3] = {0};
    const int at[3] = {n % (p + 1), n / (p + 1) % (p + 1), n / (p + 1) / (p + 1)};
    for (int d = 0; d < 3; ++d)
      powers(w, (2.0 * at[d] - p) / p, value[d], unused);
    for (int m = 0; m < cube(w); ++m)
      for (int c = 0; c < 3; ++c)
        y[c] += value[0][m % w] * value[1][m / w % w] * value[2][m / w / w] * a[3 * m + c];
    most = fmax(most, distance(x + 3 * n, y));
  }
  return most / longest;
}

/* Elements of no higher order than a geometry without gaps have it. */
static bool has_all(bp_element_geometry geometry, const bp_mesh *mesh)
{
  return geometry == BP_STORED ||
         (mesh->order <= rows[geometry].order && !rows[geometry].is_linear);
}

int64_t bp_map_count(bp_element_geometry geometry, const bp_mesh *mesh)
{
  int64_t count = 0;
  if (has_all(geometry, mesh))
    return mesh->elements;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (int64_t e = 0; e < mesh->elements; ++e)
    count += bp_map_deviation(geometry, mesh, e) <= BP_MAP_TOLERANCE;
  return count;
}

bp_status bp_map_check(bp_element_geometry geometry, const bp_mesh *mesh)
{
  int64_t bad = mesh->elements;
  if (has_all(geometry, mesh))
    return BP_OK;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (int64_t e = 0; e < mesh->elements; ++e)
    if (!(bp_map_deviation(geometry, mesh, e) <= BP_MAP_TOLERANCE) && e < bad)
      bad = e;
  if (bad == mesh->elements)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT,
                 "%s: element %lld: expected nodes where the %s map has them, as geometry says, "
                 "found one %.2g of the diagonal away",
                 mesh->name, (long long)mesh->tag[bad], bp_geometries[geometry],
                 bp_map_deviation(geometry, mesh, bad));
}
