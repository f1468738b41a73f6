/* factors.c -- geometric factors of all elements, in parallel. */
#include "fem/factors.h"

#include "base/memory.h"
#include "base/text.h"
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
static void metric_factors(int points, bool has_mass, const double *weight, const double *J,
                           double *f)
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

static void mass_factors(int points, const double *weight, const double *J, double *f)
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

static void factory_start(bp_factory *f, const bp_mesh *mesh, const bp_basis *basis, int components)
{
  int n = basis->nc;
  *f = (bp_factory){.mesh = mesh,
                    .components = components,
                    .n = n,
                    .points = n * n * n,
                    .weight = create_weights(basis)};
  memcpy(f->point, basis->point, (size_t)n * sizeof *f->point);
  bp_geometry_create(&f->geometry, mesh->order, n, basis->point);
}

/* J, then what the geometry needs. */
static size_t scratch_of(const bp_factory *f)
{
  return 9 * (size_t)f->points + (size_t)bp_geometry_scratch(&f->geometry);
}

static void element_factors(const bp_factory *with, int64_t e, double *scratch, double *f)
{
  double *J = scratch;
  bp_geometry_jacobians(&with->geometry, with->mesh, e, J + 9 * with->points, J);
  if (with->components == 1)
    mass_factors(with->points, with->weight, J, f);
  else
    metric_factors(with->points, with->components == 7, with->weight, J, f);
}

static int64_t count_of(const bp_factory *f)
{
  return (int64_t)f->components * f->points;
}

/* Returns the first element whose map is no good, or the count of elements. `factors` NULL: none are kept. */
static int64_t all_factors(const bp_factory *with, double *factors)
{
  int64_t first_bad = with->mesh->elements, count = count_of(with);
#pragma omp parallel reduction(min : first_bad)
  {
    double *own = bp_alloc_array((size_t)count + scratch_of(with), sizeof *own);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < with->mesh->elements; ++e) {
      double *f = factors ? factors + e * count : own;
      element_factors(with, e, own + count, f);
      if (e < first_bad && !is_usable(with->components, with->points, f))
        first_bad = e;
    }
    bp_free(own);
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

static bp_status check(const bp_factory *with, double *factors)
{
  int64_t bad = all_factors(with, factors);
  return bad < with->mesh->elements ? refuse(with, bad) : BP_OK;
}

bp_status bp_factors_compute(const bp_mesh *mesh, const bp_basis *basis, int components,
                             double *factors)
{
  bp_factory with;
  factory_start(&with, mesh, basis, components);
  bp_status status = check(&with, factors);
  bp_free(with.weight);
  return status;
}

bp_status bp_factory_create(const bp_mesh *mesh, const bp_basis *basis, int components,
                            bp_factory **factory)
{
  bp_factory *made = bp_alloc(1, sizeof *made);
  factory_start(made, mesh, basis, components);
  bp_status status = check(made, NULL);
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

int64_t bp_factory_buffer(const bp_factory *factory)
{
  return count_of(factory) + (int64_t)scratch_of(factory);
}

void bp_factory_make(const bp_factory *factory, int64_t e, double *buffer)
{
  element_factors(factory, e, buffer + count_of(factory), buffer);
}
