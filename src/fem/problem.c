/* problem.c -- problems from meshes and from random numbers, their sizes, and surveys of a mesh. */
#include "fem/problem.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "fem/factors.h"
#include "fem/geometry.h"
#include "fem/gradient.h"
#include "fem/map.h"
#include <limits.h>
#include <math.h>
#include <string.h>

static int64_t cube(int64_t n)
{
  return n * n * n;
}

static int64_t points_of(const bp_problem *problem)
{
  return cube(problem->basis.nc);
}

int64_t bp_problem_dofs(const bp_problem *problem)
{
  if (problem->gather)
    return problem->mesh_nodes * problem->space.fields;
  return problem->elements * bp_operator_inputs(problem->op, problem->space);
}

int64_t bp_problem_outputs(const bp_problem *problem)
{
  return problem->elements * bp_operator_outputs(problem->op, problem->space);
}

int64_t bp_problem_factors_count(const bp_problem *problem)
{
  return problem->elements * problem->op->components * points_of(problem);
}

int64_t bp_problem_bytes(const bp_operator *op, bp_space space, int64_t elements)
{
  int64_t element = bp_stored_bytes(space) * op->components * cube(space.points), bytes;
  if (__builtin_mul_overflow(elements, element, &bytes) ||
      __builtin_add_overflow(bytes, (int64_t)sizeof(bp_problem), &bytes))
    return INT64_MAX;
  return bytes;
}

/* A gradient needs no more of a mesh than this; without one it has a grid. */
static void add_cells(bp_problem *problem, const bp_cells *cells)
{
  const bp_space space = problem->space;
  const bp_grid grid = bp_grid_of(space.shape, problem->elements);
  problem->mesh_nodes =
      cells ? bp_cells_nodes(cells, space.degree) : bp_grid_nodes(&grid, space.degree);
  problem->gather =
      bp_alloc_array((size_t)(problem->elements * bp_space_nodes(space)), sizeof *problem->gather);
  problem->table = bp_alloc((size_t)bp_gradient_table_count(space), sizeof(double));
  if (cells)
    bp_cells_gather(cells, space.degree, problem->gather);
  else
    bp_grid_gather(&grid, space.degree, problem->gather);
  bp_gradient_kernel_table(space, problem->table);
}

/* Without factors. */
static bp_problem *lean_of(const bp_operator *op, bp_space space, double lambda, int64_t elements)
{
  bp_problem *problem = bp_alloc(1, sizeof *problem);
  problem->op = op;
  problem->elements = elements;
  problem->lambda = lambda;
  problem->space = space;
  problem->components = op->components;
  bp_basis_create(&problem->basis, space);
  return problem;
}

static bp_problem *problem_of(const bp_operator *op, bp_space space, double lambda,
                              int64_t elements, const bp_cells *cells)
{
  bp_problem *problem = lean_of(op, space, lambda, elements);
  problem->factors = bp_alloc_array((size_t)bp_problem_factors_count(problem), sizeof(double));
  if (bp_operator_is_gradient(op))
    add_cells(problem, cells);
  return problem;
}

bp_status bp_problem_create(const bp_operator *op, bp_space space, double lambda,
                            const bp_mesh *mesh, bp_problem **problem)
{
  BP_ASSERT(lambda >= 0);
  bp_problem *made = lean_of(op, space, lambda, mesh->elements);
  bp_status status = bp_map_check(space.geometry, mesh);
  if (!status)
    status = bp_factory_create(mesh, &made->basis, op->components, &made->factory);
  if (status)
    bp_problem_destroy(made);
  *problem = status ? NULL : made;
  return status;
}

void bp_problem_of_factors(const bp_operator *op, bp_space space, double lambda, int64_t elements,
                           int components, const double *factors, bp_problem **problem)
{
  *problem = lean_of(op, space, lambda, elements);
  (*problem)->components = components;
  (*problem)->factors = (double *)(uintptr_t)factors;
}

int64_t bp_problem_buffer(const bp_problem *problem)
{
  return problem->factory ? bp_factory_buffer(problem->factory) : 0;
}

/* To what a device stores: the operator that is applied, judged and solved with is that of rounded
 * factors. */
static void round_stored(bp_space space, int64_t count, double *factors)
{
  for (int64_t n = 0; n < count && space.precision != BP_DOUBLE; ++n)
    factors[n] = (float)factors[n];
}

const double *bp_problem_element(const bp_problem *problem, int64_t e, double *buffer)
{
  int64_t own = problem->distinct ? e % problem->distinct : e;
  if (!problem->factory)
    return problem->factors + own * problem->components * points_of(problem);
  bp_factory_make(problem->factory, own, buffer);
  round_stored(problem->space, problem->op->components * points_of(problem), buffer);
  return buffer;
}

/* Of the symmetric matrices G and G' = G + d at a point, as rr, rs, rt, ss, st, tt: |G^-1/2 d G^-1/2|, the
 * root of the trace of (G^-1 d)^2. */
static double change_of_metric(const double *g, const double *d)
{
  static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  double m[3][3] = {{0}}, trace = 0;
  const double cofactor[6] = {g[3] * g[5] - g[4] * g[4], g[2] * g[4] - g[1] * g[5],
                              g[1] * g[4] - g[2] * g[3], g[0] * g[5] - g[2] * g[2],
                              g[1] * g[2] - g[0] * g[4], g[0] * g[3] - g[1] * g[1]};
  const double det = g[0] * cofactor[0] + g[1] * cofactor[1] + g[2] * cofactor[2];
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 3; ++c)
        m[a][b] += cofactor[at[a][c]] * d[at[c][b]] / det;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      trace += m[a][b] * m[b][a];
  return sqrt(fmax(trace, 0));
}

static double change_of_element(int components, int64_t points, const double *f)
{
  double most = 0;
  for (int64_t q = 0; q < points; ++q) {
    double g[7] = {0}, d[7] = {0};
    for (int c = 0; c < components; ++c) {
      g[c] = f[q + c * points];
      d[c] = (float)g[c] - g[c];
    }
    if (components > 1)
      most = fmax(most, change_of_metric(g, d));
    if (components != 6)
      most = fmax(most, fabs(d[components - 1] / g[components - 1]));
  }
  return most;
}

double bp_problem_rounding(const bp_problem *problem)
{
  const int64_t elements = problem->distinct ? problem->distinct : problem->elements;
  double most = 0;
  if (problem->space.precision == BP_DOUBLE || !problem->factory)
    return 0;
#pragma omp parallel reduction(max : most)
  {
    double *buffer = bp_alloc_array((size_t)bp_problem_buffer(problem), sizeof *buffer);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < elements; ++e) {
      bp_factory_make(problem->factory, e, buffer);
      most = fmax(most, change_of_element(problem->op->components, points_of(problem), buffer));
    }
    bp_free(buffer);
  }
  return most;
}

int bp_problem_numbers(const bp_problem *problem, int64_t e, double *numbers)
{
  const bp_element_geometry geometry = problem->space.geometry;
  const int components = problem->op->components;
  const int64_t own = problem->distinct ? e % problem->distinct : e;
  double a[3 * BP_MAP_TERMS];
  if (problem->maps)
    memcpy(a, problem->maps + own * 3 * BP_MAP_TERMS, sizeof a);
  else
    bp_map_of(geometry, bp_factory_mesh(problem->factory), own, a);
  bp_map_fill(geometry, components, a, numbers);
  return bp_map_numbers(geometry, components);
}

bp_status bp_problem_on_cells(const bp_operator *op, bp_space space, const bp_cells *cells,
                              bp_problem **problem)
{
  int64_t nodes = bp_cells_nodes(cells, space.degree);
  *problem = NULL;
  if (nodes > INT_MAX)
    return bp_fail(BP_BAD_INPUT, "%s: expected at most %d nodes at degree %d, found %lld",
                   cells->name, INT_MAX, space.degree, (long long)nodes);
  *problem = problem_of(op, space, 0, cells->elements, cells);
  return BP_OK;
}

void bp_problem_destroy(bp_problem *problem)
{
  if (!problem)
    return;
  bp_free(problem->factors);
  bp_free(problem->maps);
  bp_factory_destroy(problem->factory);
  bp_free(problem->gather);
  bp_free(problem->table);
  bp_free(problem);
}

/* A Aᵀ of a lower triangular A whose diagonal is at least 1/2. */
static void random_metric(bp_random *random, double metric[6])
{
  double rr = 0.5 + bp_random_unit(random), ss = 0.5 + bp_random_unit(random),
         tt = 0.5 + bp_random_unit(random);
  double sr = bp_random_unit(random) - 0.5, tr = bp_random_unit(random) - 0.5,
         ts = bp_random_unit(random) - 0.5;
  metric[0] = rr * rr;
  metric[1] = rr * sr;
  metric[2] = rr * tr;
  metric[3] = sr * sr + ss * ss;
  metric[4] = sr * tr + ss * ts;
  metric[5] = tr * tr + ts * ts + tt * tt;
}

static void random_element(int components, int64_t points, bp_random random, double *f)
{
  double metric[6];
  for (int64_t q = 0; q < points; ++q) {
    f[q + (components - 1) * points] = 0.5 + bp_random_unit(&random);
    if (components == 1)
      continue;
    random_metric(&random, metric);
    for (int c = 0; c < 6; ++c)
      f[q + c * points] = metric[c];
  }
}

/* Factors of a random map; J is scratch. */
static void random_map(const bp_problem *problem, int64_t e, bp_random random, double *f, double *J)
{
  const bp_element_geometry geometry = problem->space.geometry;
  double *a = problem->maps + e * 3 * BP_MAP_TERMS;
  bp_map_random(geometry, &random, a);
  bp_map_jacobians(geometry, a, problem->basis.nc, problem->basis.point, J);
  bp_factors_of(&problem->basis, problem->op->components, J, f);
}

void bp_problem_random(const bp_operator *op, bp_space space, double lambda, int64_t elements,
                       uint64_t seed, bp_problem **problem)
{
  BP_ASSERT(lambda >= 0);
  bp_problem *made = problem_of(op, space, lambda, elements, NULL);
  int64_t points = points_of(made), count = op->components * points;
  bp_random seeds = bp_random_start(seed);
  uint64_t base = bp_random_next(&seeds);
  if (space.geometry)
    made->maps = bp_alloc_array((size_t)(elements * 3 * BP_MAP_TERMS), sizeof(double));
#pragma omp parallel
  {
    double *J = bp_alloc((size_t)(9 * points), sizeof *J);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < (count ? elements : 0); ++e) {
      bp_random mixed = bp_random_start(base ^ (uint64_t)e), own; /* far apart for neighbours */
      own = bp_random_start(bp_random_next(&mixed));
      if (made->maps)
        random_map(made, e, own, made->factors + e * count, J);
      else
        random_element(op->components, points, own, made->factors + e * count);
      round_stored(space, count, made->factors + e * count);
    }
    bp_free(J);
  }
  made->iterations = op->own ? op->own->iterations : 0;
  *problem = made;
}

void bp_problem_nodes(const bp_mesh *mesh, int degree, int64_t first, int64_t last, double *x)
{
  bp_geometry geometry;
  double node[BP_POINTS_MAX], unused[BP_POINTS_MAX];
  int64_t count = cube(degree + 1);
  bp_quadrature_lobatto(degree + 1, node, unused);
  bp_geometry_create(&geometry, mesh->order, degree + 1, node);
#pragma omp parallel
  {
    double *xyz = bp_alloc((size_t)(3 * count + bp_geometry_scratch(&geometry)), sizeof *xyz);
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e) {
      bp_geometry_positions(&geometry, mesh, e, xyz + 3 * count, xyz);
      for (int64_t n = 0; n < count; ++n)
        for (int c = 0; c < 3; ++c)
          x[((e - first) * count + n) * 3 + c] = xyz[c * count + n];
    }
    bp_free(xyz);
  }
}

typedef struct {
  double smallest, largest, volume;
} determinants;

static determinants element_determinants(int64_t n, const double *weight, const double *J)
{
  determinants found = {.smallest = INFINITY, .largest = -INFINITY};
  int64_t points = cube(n);
  for (int64_t q = 0; q < points; ++q) {
    double det = bp_geometry_determinant(J, points, q);
    found.smallest = fmin(found.smallest, isnan(det) ? -INFINITY : det);
    found.largest = fmax(found.largest, det);
    found.volume += weight[q % n] * weight[q / n % n] * weight[q / n / n] * det;
  }
  return found;
}

/* det J is of degree 3p-1 in each direction: so many points integrate it exactly. */
static int volume_points(int order)
{
  return (3 * order + 3) / 2;
}

void bp_problem_jacobians(const bp_mesh *mesh, double *smallest, double *largest, int64_t *worst,
                          double *volume)
{
  bp_geometry geometry;
  double point[BP_POINTS_MAX], weight[BP_POINTS_MAX];
  int n = volume_points(mesh->order);
  bp_quadrature_lobatto(n, point, weight);
  bp_geometry_create(&geometry, mesh->order, n, point);
  determinants *found = bp_alloc_array((size_t)mesh->elements, sizeof *found);
#pragma omp parallel
  {
    double *J = bp_alloc((size_t)(9 * cube(n) + bp_geometry_scratch(&geometry)), sizeof *J);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < mesh->elements; ++e) {
      bp_geometry_jacobians(&geometry, mesh, e, J + 9 * cube(n), J);
      found[e] = element_determinants(n, weight, J);
    }
    bp_free(J);
  }
  *smallest = INFINITY;
  *largest = -INFINITY;
  *volume = 0;
  *worst = 0;
  for (int64_t e = 0; e < mesh->elements; ++e) {
    if (found[e].smallest < *smallest) {
      *smallest = found[e].smallest;
      *worst = e;
    }
    *largest = fmax(*largest, found[e].largest);
    *volume += found[e].volume;
  }
  bp_free(found);
}
