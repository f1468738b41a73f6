/* factors.c -- geometric factors, element by element. */
#include "fem/factors.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/vectors.h"
#include "fem/geometry.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* weight[k][j][i] = w_i w_j w_k. */
static double *create_weights(const bp_basis *basis)
{
  int n = basis->nc;
  size_t points = (size_t)n * (size_t)n * (size_t)n;
  double *weight = bp_alloc(points, sizeof *weight), *next = weight;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        *next++ = basis->weight[i] * basis->weight[j] * basis->weight[k];
  return weight;
}

/* The factors of one element, with the rows of det J J⁻¹ being cross products of J's. */
BP_VECTORS static void metric_factors(int points, bool has_mass, const double *weight,
                                      const double *J, double *f)
{
  int y = points, z = 2 * points;
#pragma omp simd
  for (int q = 0; q < points; ++q) {
    const double *r = J + q, *s = r + 3 * points, *t = s + 3 * points;
    double rx = s[y] * t[z] - s[z] * t[y], ry = s[z] * t[0] - s[0] * t[z],
           rz = s[0] * t[y] - s[y] * t[0];
    double sx = t[y] * r[z] - t[z] * r[y], sy = t[z] * r[0] - t[0] * r[z],
           sz = t[0] * r[y] - t[y] * r[0];
    double tx = r[y] * s[z] - r[z] * s[y], ty = r[z] * s[0] - r[0] * s[z],
           tz = r[0] * s[y] - r[y] * s[0];
    double det = r[0] * rx + r[y] * ry + r[z] * rz, scale = weight[q] / det;
    f[q] = scale * (rx * rx + ry * ry + rz * rz);
    f[q + points] = scale * (rx * sx + ry * sy + rz * sz);
    f[q + 2 * points] = scale * (rx * tx + ry * ty + rz * tz);
    f[q + 3 * points] = scale * (sx * sx + sy * sy + sz * sz);
    f[q + 4 * points] = scale * (sx * tx + sy * ty + sz * tz);
    f[q + 5 * points] = scale * (tx * tx + ty * ty + tz * tz);
    if (has_mass)
      f[q + 6 * points] = weight[q] * det;
  }
}

BP_VECTORS static void mass_factors(int points, const double *weight, const double *J, double *f)
{
#pragma omp simd
  for (int q = 0; q < points; ++q)
    f[q] = weight[q] * bp_geometry_determinant(J, points, q);
}

/* W, the last component (without it the first, a sum of squares over det J), is positive and finite
 * exactly where det J is; a metric that is not finite
 * (of coordinates near the ends of the number range) is as useless. */
static bool is_usable(int components, int points, const double *f)
{
  int bad = 0;
  const double *w = components == 7 ? f + 6 * points : f;
#pragma omp simd reduction(+ : bad)
  for (int q = 0; q < points; ++q)
    bad += !(w[q] > 0) | !(w[q] <= DBL_MAX) | !(fabs(f[q]) <= DBL_MAX);
  return bad == 0;
}

/* What all elements share. */
struct bp_factory {
  const bp_mesh *mesh;
  int components, points, n;
  bp_geometry geometry;
  double point[BP_POINTS_MAX];
  double *weight;
};

/* J, then what the geometry needs. */
static size_t scratch_of(const bp_factory *f)
{
  return 9 * (size_t)f->points + (size_t)bp_geometry_scratch(&f->geometry);
}

int64_t bp_factory_buffer(const bp_factory *factory)
{
  return (int64_t)factory->components * factory->points + (int64_t)scratch_of(factory);
}

const bp_mesh *bp_factory_mesh(const bp_factory *factory)
{
  return factory->mesh;
}

static void make(int components, int points, const double *weight, const double *J, double *f)
{
  if (components == 1)
    mass_factors(points, weight, J, f);
  else
    metric_factors(points, components == 7, weight, J, f);
}

void bp_factors_of(const bp_basis *basis, int components, const double *J, double *f)
{
  double *weight = create_weights(basis);
  make(components, basis->nc * basis->nc * basis->nc, weight, J, f);
  bp_free(weight);
}

void bp_factory_make(const bp_factory *factory, int64_t e, double *buffer)
{
  const int points = factory->points;
  double *J = buffer + factory->components * points;
  bp_geometry_jacobians(&factory->geometry, factory->mesh, e, J + 9 * points, J);
  make(factory->components, points, factory->weight, J, buffer);
}

/* Returns the first element whose map is no good, or the count of elements. */
static int64_t find_bad(const bp_factory *with)
{
  int64_t first_bad = with->mesh->elements;
#pragma omp parallel reduction(min : first_bad)
  {
    double *f = bp_alloc_array((size_t)bp_factory_buffer(with), sizeof *f);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < with->mesh->elements; ++e) {
      bp_factory_make(with, e, f);
      if (e < first_bad && !is_usable(with->components, with->points, f))
        first_bad = e;
    }
    bp_free(f);
  }
  return first_bad;
}

/* The smallest determinant of element e, a NaN being smaller than anything, and where it is. */
static double smallest_determinant(const bp_factory *with, int64_t e, int *where)
{
  double *J = bp_alloc(scratch_of(with), sizeof *J), smallest = INFINITY;
  bp_geometry_jacobians(&with->geometry, with->mesh, e, J + 9 * with->points, J);
  for (int q = with->points - 1; q >= 0 && !isnan(smallest); --q) {
    double det = bp_geometry_determinant(J, with->points, q);
    if (!(det > smallest)) {
      smallest = det;
      *where = q;
    }
  }
  bp_free(J);
  return smallest;
}

static bp_status refuse(const bp_factory *with, int64_t e)
{
  char found[32];
  int where = 0, n = with->n;
  const double *p = with->point;
  bp_print_double(found, smallest_determinant(with, e, &where));
  return bp_fail(BP_BAD_INPUT,
                 "%s: element %lld: expected a positive Jacobian determinant and finite factors at "
                 "every quadrature point, found determinant %s at r = %.3f, s = %.3f, t = %.3f",
                 with->mesh->name, (long long)with->mesh->tag[e], found, p[where % n],
                 p[where / n % n], p[where / n / n]);
}

bp_status bp_factory_create(const bp_mesh *mesh, const bp_basis *basis, int components,
                            bp_factory **factory)
{
  int n = basis->nc;
  bp_factory *made = bp_alloc(1, sizeof *made);
  *made = (bp_factory){.mesh = mesh,
                       .components = components,
                       .n = n,
                       .points = n * n * n,
                       .weight = create_weights(basis)};
  memcpy(made->point, basis->point, (size_t)n * sizeof *made->point);
  bp_geometry_create(&made->geometry, mesh->order, n, basis->point);
  const int64_t bad = find_bad(made);
  bp_status status = bad < mesh->elements ? refuse(made, bad) : BP_OK;
  if (status)
    bp_factory_destroy(made);
  *factory = status ? NULL : made;
  return status;
}

void bp_factory_destroy(bp_factory *factory)
{
  if (!factory)
    return;
  bp_free(factory->weight);
  bp_free(factory);
}
