/* wave_points.c -- from a position to an element and weights, by Newton's method on the element's map. */
#include "solve/wave_points.h"

#include "base/memory.h"
#include "fem/geometry.h"
#include <math.h>
#include <string.h>

static int nodes_of(const bp_system *system)
{
  int nq = system->problem->basis.nq;
  return nq * nq * nq;
}

void bp_wave_points_create(const bp_system *system, bp_wave_points *points)
{
  *points = (bp_wave_points){0};
  points->weights = bp_alloc(BP_WAVE_POINTS_MAX * (size_t)nodes_of(system), sizeof(double));
  for (int n = 0; n < BP_WAVE_POINTS_MAX; ++n)
    points->elements[n] = -1;
}

void bp_wave_points_destroy(bp_wave_points *points)
{
  bp_free(points->weights);
  points->weights = NULL;
}

/* The position and the map's derivatives at one point of the reference cube. */
static void map_at(const bp_mesh *mesh, int64_t e, const double r[3], double x[3], double J[9])
{
  double value[3][BP_MESH_ORDER_MAX + 1], slope[3][BP_MESH_ORDER_MAX + 1];
  const int p = mesh->order, nodes = (p + 1) * (p + 1) * (p + 1);
  for (int d = 0; d < 3; ++d) {
    bp_geometry one;
    bp_geometry_create(&one, p, 1, &r[d]);
    memcpy(value[d], one.value, sizeof value[d]);
    memcpy(slope[d], one.slope, sizeof slope[d]);
  }
  memset(x, 0, 3 * sizeof *x);
  memset(J, 0, 9 * sizeof *J);
  for (int n = 0; n < nodes; ++n) {
    const int i = n % (p + 1), j = n / (p + 1) % (p + 1), k = n / (p + 1) / (p + 1);
    const double *at = mesh->x + 3 * (int64_t)mesh->node[e * nodes + n];
    const double w[4] = {
        value[0][i] * value[1][j] * value[2][k], slope[0][i] * value[1][j] * value[2][k],
        value[0][i] * slope[1][j] * value[2][k], value[0][i] * value[1][j] * slope[2][k]};
    for (int c = 0; c < 3; ++c) {
      x[c] += w[0] * at[c];
      for (int d = 0; d < 3; ++d)
        J[3 * d + c] += w[d + 1] * at[c];
    }
  }
}

/* r += J^-T (target - x), by Cramer's rule. */
static bool improve(const double J[9], const double rest[3], double r[3])
{
  const double *a = J, *b = J + 3, *c = J + 6;
  const double bc[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2],
                        b[0] * c[1] - b[1] * c[0]};
  const double ca[3] = {c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2],
                        c[0] * a[1] - c[1] * a[0]};
  const double ab[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                        a[0] * b[1] - a[1] * b[0]};
  const double det = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2];
  if (!(det > 0))
    return false;
  for (int n = 0; n < 3; ++n) {
    r[0] += bc[n] * rest[n] / det;
    r[1] += ca[n] * rest[n] / det;
    r[2] += ab[n] * rest[n] / det;
  }
  return true;
}

/* Whether the point lies in the element, and where. */
static bool locate(const bp_mesh *mesh, int64_t e, const double target[3], double r[3])
{
  enum { ITERATIONS = 20 };
  const double slack = 1e-9, far = 2;
  r[0] = r[1] = r[2] = 0;
  for (int n = 0; n < ITERATIONS; ++n) {
    double x[3], J[9];
    map_at(mesh, e, r, x, J);
    const double rest[3] = {target[0] - x[0], target[1] - x[1], target[2] - x[2]};
    const double before[3] = {r[0], r[1], r[2]};
    double step = 0;
    if (!improve(J, rest, r))
      return false;
    for (int d = 0; d < 3; ++d) {
      step = fmax(step, fabs(r[d] - before[d]));
      r[d] = fmax(-far, fmin(far, r[d]));
    }
    if (step < 1e-13)
      break;
  }
  for (int d = 0; d < 3; ++d)
    if (fabs(r[d]) > 1 + slack)
      return false;
  return true;
}

/* Whether it may: in the box around the element's nodes, with some room for curved sides. */
static bool is_near(const bp_mesh *mesh, int64_t e, const double target[3])
{
  const int p = mesh->order, nodes = (p + 1) * (p + 1) * (p + 1);
  for (int c = 0; c < 3; ++c) {
    double low = INFINITY, high = -INFINITY;
    for (int n = 0; n < nodes; ++n) {
      const double x = mesh->x[3 * (int64_t)mesh->node[e * nodes + n] + c];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    const double room = 0.1 * (high - low);
    if (target[c] < low - room || target[c] > high + room)
      return false;
  }
  return true;
}

static void weights_at(const bp_basis *basis, const double r[3], double *weights)
{
  double along[3][BP_POINTS_MAX];
  const int nq = basis->nq;
  for (int d = 0; d < 3; ++d)
    bp_basis_interpolate(nq, basis->node, 1, &r[d], along[d]);
  for (int n = 0; n < nq * nq * nq; ++n)
    weights[n] = along[0][n % nq] * along[1][n / nq % nq] * along[2][n / nq / nq];
}

static int64_t find(const bp_mesh *mesh, const double x[3], double r[3])
{
  int64_t e = 0;
  while (e < mesh->elements && !(is_near(mesh, e, x) && locate(mesh, e, x, r)))
    ++e;
  return e;
}

/* Of the ranks that have found one, which has the first of the whole mesh? */
static bool is_first(const bp_system *system, int64_t e, bool *is_found)
{
  const bool is_here = e < system->mesh->elements;
  const int64_t number = is_here && system->piece ? system->piece->element[e] : e;
  const double mine = is_here ? -(double)number : -INFINITY;
  const double first = bp_comm_largest(system->comm, mine);
  *is_found = isfinite(first);
  return is_here && mine == first;
}

bp_status bp_wave_points_add(const bp_system *system, bool is_source, const double x[3],
                             bp_wave_points *points)
{
  int *count = is_source ? &points->sources : &points->receivers;
  int point = is_source ? 0 : BP_WAVE_SOURCES_MAX;
  const int most = is_source ? BP_WAVE_SOURCES_MAX : BP_WAVE_RECEIVERS_MAX;
  const char *what = is_source ? "source" : "receiver";
  double r[3];
  bool is_found;
  if (*count == most)
    return bp_fail(BP_BAD_INPUT, "--%s: expected at most %d, found more", what, most);
  const int64_t e = find(system->mesh, x, r);
  if (is_first(system, e, &is_found)) {
    while (points->elements[point] >= 0)
      ++point;
    points->elements[point] = (int32_t)e;
    points->number[point] = *count;
    weights_at(&system->problem->basis, r,
               points->weights + (size_t)point * (size_t)nodes_of(system));
  }
  *count += is_found;
  if (is_found)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "--%s: expected a point in the mesh, found (%g, %g, %g)", what, x[0],
                 x[1], x[2]);
}

void bp_wave_points_numbers(const bp_system *system, const bp_wave_points *points, int point,
                            int64_t *numbers)
{
  const int64_t e = points->elements[point];
  bp_unknowns_number(system->unknowns, e, e + 1, numbers);
}

bool bp_wave_value_in(const bp_system *system, int64_t e, const double x[3], const double *u,
                      double *value)
{
  const int nodes = nodes_of(system);
  double r[3], weights[BP_POINTS_MAX * BP_POINTS_MAX * BP_POINTS_MAX];
  int64_t numbers[BP_POINTS_MAX * BP_POINTS_MAX * BP_POINTS_MAX];
  long double sum = 0;
  if (!locate(system->mesh, e, x, r))
    return false;
  weights_at(&system->problem->basis, r, weights);
  bp_unknowns_number(system->unknowns, e, e + 1, numbers);
  for (int n = 0; n < nodes; ++n)
    sum += (long double)weights[n] * u[numbers[n]];
  *value = (double)sum;
  return true;
}

double bp_wave_points_value(const bp_system *system, const bp_wave_points *points, int n,
                            const double *u)
{
  const int nodes = nodes_of(system), point = BP_WAVE_SOURCES_MAX + n;
  int64_t *numbers = bp_alloc((size_t)nodes, sizeof *numbers);
  long double sum = 0;
  bp_wave_points_numbers(system, points, point, numbers);
  for (int m = 0; m < nodes; ++m)
    sum += (long double)points->weights[(size_t)point * (size_t)nodes + (size_t)m] * u[numbers[m]];
  bp_free(numbers);
  return (double)sum;
}
