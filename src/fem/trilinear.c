/* trilinear.c -- the coefficients of trilinear maps, and which elements have such a map. */
#include "fem/trilinear.h"

#include "base/text.h"
#include <math.h>
#include <string.h>

/* Which vertices enter a_m with a sign: a1 .. a7 belong to r, s, t, rs, rt, st, rst. */
static const int directions[7] = {1, 2, 4, 3, 5, 6, 7};

/* vertex[v]: bits of v are r, s, t. Differences are taken from the first, so that elements far from the
 * origin lose nothing. */
static void shape_of(const double vertex[8][3], double *shape)
{
  for (int m = 0; m < 7; ++m)
    for (int c = 0; c < 3; ++c) {
      double sum = 0;
      for (int v = 1; v < 8; ++v) {
        const int minus = __builtin_popcount((unsigned)(directions[m] & ~v)) % 2;
        sum += (minus ? -1 : 1) * (vertex[v][c] - vertex[0][c]);
      }
      shape[3 * m + c] = sum / 8;
    }
}

static const double *node_of(const bp_mesh *mesh, int64_t e, int k, int j, int i)
{
  const int n = mesh->order + 1;
  return mesh->x + 3 * (int64_t)mesh->node[((e * n + k) * n + j) * n + i];
}

static void vertices_of(const bp_mesh *mesh, int64_t e, double vertex[8][3])
{
  const int p = mesh->order;
  for (int v = 0; v < 8; ++v)
    memcpy(vertex[v], node_of(mesh, e, v / 4 * p, v / 2 % 2 * p, v % 2 * p), sizeof vertex[v]);
}

void bp_trilinear_shape(const bp_mesh *mesh, int64_t e, double *shape)
{
  double vertex[8][3];
  vertices_of(mesh, e, vertex);
  shape_of(vertex, shape);
}

void bp_trilinear_random(bp_random *random, double *shape)
{
  static const double most = 0.3;
  double vertex[8][3];
  for (int v = 0; v < 8; ++v)
    for (int c = 0; c < 3; ++c)
      vertex[v][c] = 2 * (v >> c & 1) - 1 + most * (2 * bp_random_unit(random) - 1);
  shape_of(vertex, shape);
}

void bp_trilinear_jacobians(const double *shape, int n, const double *point, double *J)
{
  const int points = n * n * n;
  for (int q = 0; q < points; ++q) {
    const double r = point[q % n], s = point[q / n % n], t = point[q / n / n];
    for (int c = 0; c < 3; ++c) {
      const double *a = shape + c, rs = a[9], rt = a[12], st = a[15], rst = a[18];
      J[c * points + q] = a[0] + rs * s + rt * t + rst * s * t;
      J[(3 + c) * points + q] = a[3] + rs * r + st * t + rst * r * t;
      J[(6 + c) * points + q] = a[6] + rt * r + st * s + rst * r * s;
    }
  }
}

static double distance(const double *x, const double *y)
{
  return hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
}

double bp_trilinear_deviation(const bp_mesh *mesh, int64_t e)
{
  const int p = mesh->order;
  double vertex[8][3], longest = 0, most = 0;
  vertices_of(mesh, e, vertex);
  for (int v = 0; v < 4; ++v)
    longest = fmax(longest, distance(vertex[v], vertex[7 - v]));
  for (int k = 0; k <= p; ++k)
    for (int j = 0; j <= p; ++j)
      for (int i = 0; i <= p; ++i) {
        const double r = (double)i / p, s = (double)j / p, t = (double)k / p;
        double x[3] = {0};
        for (int v = 0; v < 8; ++v)
          for (int c = 0; c < 3; ++c)
            x[c] += (v & 1 ? r : 1 - r) * (v & 2 ? s : 1 - s) * (v & 4 ? t : 1 - t) * vertex[v][c];
        most = fmax(most, distance(x, node_of(mesh, e, k, j, i)));
      }
  return most / longest;
}

int64_t bp_trilinear_count(const bp_mesh *mesh)
{
  int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (int64_t e = 0; e < mesh->elements; ++e)
    count += mesh->order == 1 || bp_trilinear_deviation(mesh, e) <= BP_TRILINEAR_TOLERANCE;
  return count;
}

bp_status bp_trilinear_check(const bp_mesh *mesh)
{
  int64_t bad = mesh->elements;
  if (mesh->order == 1)
    return BP_OK;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (int64_t e = 0; e < mesh->elements; ++e)
    if (!(bp_trilinear_deviation(mesh, e) <= BP_TRILINEAR_TOLERANCE) && e < bad)
      bad = e;
  if (bad == mesh->elements)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT,
                 "%s: element %lld: expected nodes where the trilinear map of its vertices has "
                 "them, as geometry says, found one %.2g of the diagonal away",
                 mesh->name, (long long)mesh->tag[bad], bp_trilinear_deviation(mesh, bad));
}
