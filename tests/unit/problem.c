/* problem.c -- tests of the geometric factors and of what a mesh's maps say. */
#include "space.h"
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "fem/geometry.h"
#include "fem/map.h"
#include "fem/problem.h"
#include <float.h>
#include <omp.h>

static double factor(const bp_problem *p, int64_t e, int c, int64_t q)
{
  int64_t nc = p->basis.nc, points = nc * nc * nc;
  double *buffer = bp_alloc((size_t)bp_problem_buffer(p), sizeof *buffer);
  double found = bp_problem_element(p, e, buffer)[c * points + q];
  bp_free(buffer);
  return found;
}

static double weight(const bp_problem *p, int64_t q)
{
  int nc = p->basis.nc;
  const double *w = p->basis.weight;
  return w[q % nc] * w[q / nc % nc] * w[q / nc / nc];
}

TEST(problem, has_the_factors_of_a_brick_worked_out_by_hand)
{
  static const double edge[3] = {1.0 / 2, 1.0 / 3, 1.0};
  bp_mesh *mesh = test_box((int[3]){2, 3, 1}, 1, NULL);
  for (int o = 0; o < BP_OPERATORS; ++o) {
    bp_problem *p;
    CU_ASSERT_FATAL(bp_problem_create(&bp_operators[o], bp_operator_space(&bp_operators[o], 4), 1,
                                      mesh, &p) == BP_OK);
    int last = p->op->components - 1, points = p->basis.nc * p->basis.nc * p->basis.nc;
    double det = edge[0] * edge[1] * edge[2] / 8;
    for (int64_t e = 0; e < mesh->elements; ++e)
      for (int q = 0; q < points; ++q) {
        double w = weight(p, q) * det;
        CU_ASSERT_DOUBLE_EQUAL(factor(p, e, last, q), w, 8 * DBL_EPSILON * w);
        for (int c = 0; c < last; ++c) {
          int d = c == 0 ? 0 : c == 3 ? 1 : 2;
          bool diagonal = c == 0 || c == 3 || c == 5;
          double expected = diagonal ? 4 * w / edge[d] / edge[d] : 0;
          CU_ASSERT_DOUBLE_EQUAL(factor(p, e, c, q), expected, 64 * DBL_EPSILON * w);
        }
      }
    bp_problem_destroy(p);
  }
  test_box_destroy(mesh);
}

/* x = A r + b with a full matrix A: the metric is W inv(A) inv(A)T, found here from the definition.
 */
static void shear(const double x[3], double y[3])
{
  y[0] = 2 * x[0] + 0.5 * x[1] - 0.25 * x[2] + 1e3;
  y[1] = -0.5 * x[0] + 1.5 * x[1] + 0.125 * x[2];
  y[2] = 0.25 * x[0] - 0.75 * x[1] + x[2] - 3e2;
}

TEST(problem, has_a_metric_that_inverts_JtJ)
{
  static const double A[3][3] = {{2, 0.5, -0.25}, {-0.5, 1.5, 0.125}, {0.25, -0.75, 1}};
  static const int component[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int order = 1; order <= 3; ++order) {
    bp_problem *p;
    bp_mesh *mesh = test_box((int[3]){1, 1, 1}, order, shear);
    CU_ASSERT_FATAL(
        bp_problem_create(bp_operator_find("bp3.0"), space_of("bp3.0", 3), 0, mesh, &p) == BP_OK);
    for (int q = 0; q < p->basis.nc; ++q)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          double product = 0; /* G JtJ / W, with J = A / 2 */
          for (int c = 0; c < 3; ++c)
            for (int x = 0; x < 3; ++x)
              product += factor(p, 0, component[a][c], q) * A[x][c] * A[x][b] / 4;
          product /= factor(p, 0, 6, q);
          CHECK(fabs(product - (a == b)) < 1e-11, "order %d: (%d,%d) %g", order, a, b, product);
        }
    bp_problem_destroy(p);
    test_box_destroy(mesh);
  }
}

/* The quick path of trilinear maps against the general one: an element raised to order 2 or 3 is
 * the same element. */
static void bend_trilinearly(const double x[3], double y[3])
{
  y[0] = x[0] + 0.2 * x[1] * x[2] + 0.1 * x[0] * x[1];
  y[1] = x[1] + 0.1 * x[0] * x[1] * x[2] - 0.2 * x[0] * x[2];
  y[2] = x[2] * (1 + 0.3 * x[0]) + 0.1 * x[0] * x[1];
}

TEST(problem, does_not_depend_on_the_order_a_map_is_written_in)
{
  bp_problem *p[3];
  bp_mesh *mesh[3];
  for (int n = 0; n < 3; ++n) {
    mesh[n] = test_box((int[3]){1, 1, 1}, n + 1, bend_trilinearly);
    CU_ASSERT_FATAL(bp_problem_create(bp_operator_find("bp3.5"), space_of("bp3.5", 5), 0, mesh[n],
                                      &p[n]) == BP_OK);
  }
  for (int c = 0; c < 7; ++c)
    for (int64_t q = 0; q < bp_problem_factors_count(p[0]) / 7; ++q)
      for (int n = 1; n < 3; ++n)
        CU_ASSERT_DOUBLE_EQUAL(factor(p[0], 0, c, q), factor(p[n], 0, c, q), 1e-14);
  for (int n = 0; n < 3; ++n) {
    bp_problem_destroy(p[n]);
    test_box_destroy(mesh[n]);
  }
}

static void bend_quadratically(const double x[3], double y[3])
{
  bend_trilinearly(x, y);
  y[0] += 0.1 * x[1] * x[1];
  y[1] += 0.05 * x[0] * x[0] * x[2] * x[2];
  y[2] -= 0.1 * x[0] * x[0] * x[1] * x[2] * x[2];
}

/* Maps against the mesh, whatever order that is written in; and poorer ones are refused. */
TEST(problem, knows_the_map_of_an_element)
{
  enum { N = 4, POINTS = N * N * N };
  static const double point[N] = {-0.9, -0.2, 0.3, 1};
  static test_map *const maps[BP_GEOMETRIES] = {NULL, shear, bend_trilinearly, bend_quadratically};
  for (bp_element_geometry g = BP_AFFINE; g < BP_GEOMETRIES; ++g)
    for (int order = g == BP_QUADRATIC ? 2 : 1; order <= 4; ++order) {
      bp_geometry geometry;
      double a[3 * BP_MAP_TERMS], J[9 * POINTS], expected[9 * POINTS];
      bp_mesh *mesh = test_box((int[3]){2, 1, 1}, order, maps[g]);
      bp_geometry_create(&geometry, order, N, point);
      double *scratch = bp_alloc((size_t)bp_geometry_scratch(&geometry), sizeof *scratch);
      for (bp_element_geometry other = BP_AFFINE; other < BP_GEOMETRIES; ++other) {
        CU_ASSERT(bp_map_count(other, mesh) == (other < g ? 0 : 2));
        CU_ASSERT(bp_map_check(other, mesh) == (other < g ? BP_BAD_INPUT : BP_OK));
        CU_ASSERT(other >= g || strstr(bp_message(), "element 7: ") != NULL);
      }
      bp_map_of(g, mesh, 1, a);
      bp_map_jacobians(g, a, N, point, J);
      bp_geometry_jacobians(&geometry, mesh, 1, scratch, expected);
      for (int n = 0; n < 9 * POINTS; ++n)
        CHECK(fabs(J[n] - expected[n]) < 3e-12, "%s, order %d: J[%d] %g", bp_geometries[g], order,
              n, J[n]);
      bp_free(scratch);
      test_box_destroy(mesh);
    }
}

/* Turns one element inside out. */
static void mirror_element(bp_mesh *mesh, int64_t e)
{
  int32_t *node = mesh->node + 8 * e;
  for (int n = 0; n < 8; n += 2) {
    int32_t left = node[n];
    node[n] = node[n + 1];
    node[n + 1] = left;
  }
}

TEST(problem, names_the_first_element_that_is_inside_out)
{
  bp_mesh *mesh = test_box((int[3]){10, 10, 10}, 1, test_bend);
  mirror_element(mesh, 999);
  mirror_element(mesh, 501);
  mirror_element(mesh, 740);
  for (int threads = 1; threads <= 8; ++threads) {
    omp_set_num_threads(threads);
    for (int o = 0; o < BP_OPERATORS; ++o) {
      bp_problem *p = NULL;
      CU_ASSERT(bp_problem_create(&bp_operators[o], bp_operator_space(&bp_operators[o], 2), 0, mesh,
                                  &p) == BP_BAD_INPUT);
      CU_ASSERT_PTR_NULL(p);
      CHECK(strstr(bp_message(), "test box: element 5017: expected") != NULL, "%s", bp_message());
    }
  }
  omp_set_num_threads(omp_get_num_procs());
  test_box_destroy(mesh);
}

/* All corners are right-handed, but the middle of an edge was pulled through the element. */
TEST(problem, finds_folds_between_good_corners)
{
  bp_problem *p;
  bp_mesh *mesh = test_box((int[3]){1, 1, 1}, 3, NULL);
  for (int n = 0; n < 64; ++n) {
    int i = n % 4;
    if (i == 1 || i == 2)
      mesh->x[3 * mesh->node[n]] = i == 1 ? 0.7 : 0.3;
  }
  CU_ASSERT(bp_problem_create(bp_operator_find("bp1.0"), space_of("bp1.0", 3), 0, mesh, &p) ==
            BP_BAD_INPUT);
  CHECK(strstr(bp_message(), "found determinant -") != NULL, "%s", bp_message());
  test_box_destroy(mesh);
}

TEST(problem, refuses_flat_elements_and_coordinates_too_large)
{
  static const double scales[] = {0, 1e120, 1e-120};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
    bp_problem *p;
    bp_mesh *mesh = test_box((int[3]){1, 1, 1}, 1, NULL);
    for (int64_t n = 0; n < 3 * mesh->nodes; ++n)
      mesh->x[n] *= scales[s];
    CHECK(bp_problem_create(bp_operator_find("bp3.0"), space_of("bp3.0", 1), 0, mesh, &p) ==
              BP_BAD_INPUT,
          "scale %g", scales[s]);
    test_box_destroy(mesh);
  }
}

TEST(problem, draws_random_factors_that_are_positive_definite_and_repeatable)
{
  bp_problem *p, *again, *other;
  const bp_operator *op = bp_operator_find("bp3.5");
  bp_problem_random(op, bp_operator_space(op, 4), 0.5, 7, 42, &p);
  bp_problem_random(op, bp_operator_space(op, 4), 0.5, 7, 42, &again);
  bp_problem_random(op, bp_operator_space(op, 4), 0.5, 7, 43, &other);
  size_t count = (size_t)bp_problem_factors_count(p);
  CU_ASSERT(memcmp(p->factors, again->factors, count * sizeof(double)) == 0);
  CU_ASSERT(memcmp(p->factors, other->factors, count * sizeof(double)) != 0);
  CU_ASSERT(memcmp(p->factors, p->factors + count / 7, count / 7 * sizeof(double)) != 0);
  for (int64_t e = 0; e < 7; ++e)
    for (int q = 0; q < 125; ++q) {
      double a = factor(p, e, 0, q), b = factor(p, e, 1, q), c = factor(p, e, 2, q);
      double d = factor(p, e, 3, q), f = factor(p, e, 4, q), g = factor(p, e, 5, q);
      CU_ASSERT(a > 0 && a * d - b * b > 0 && factor(p, e, 6, q) >= 0.5);
      CU_ASSERT(a * (d * g - f * f) - b * (b * g - f * c) + c * (b * f - d * c) > 0);
    }
  bp_problem_destroy(p);
  bp_problem_destroy(again);
  bp_problem_destroy(other);
}

TEST(problem, puts_nodes_where_the_map_puts_them)
{
  bp_mesh *mesh = test_box((int[3]){2, 1, 1}, 3, test_bend);
  double x[2 * 27 * 3];
  bp_problem_nodes(mesh, 2, 1, 2, x); /* the middle node of element 1 and two corners */
  const double *first = mesh->x + 3 * (int64_t)mesh->node[64],
               *last = mesh->x + 3 * (int64_t)mesh->node[127];
  for (int c = 0; c < 3; ++c) {
    CU_ASSERT_DOUBLE_EQUAL(x[c], first[c], 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(x[26 * 3 + c], last[c], 1e-15);
  }
  test_box_destroy(mesh);
  mesh = test_box((int[3]){1, 1, 1}, 2, NULL);
  bp_problem_nodes(mesh, 2, 0, 1, x);
  for (int n = 0; n < 27; ++n) /* i runs along x and is fastest */
    for (int c = 0, at = n; c < 3; ++c, at /= 3)
      CU_ASSERT_DOUBLE_EQUAL(x[3 * n + c], 0.5 * (at % 3), 1e-15);
  test_box_destroy(mesh);
}

/* test_warp leaves the surface where it is, so the volume stays 1 whatever happens inside. */
TEST(problem, measures_volumes_and_determinants)
{
  double smallest, largest, volume;
  int64_t worst;
  bp_mesh *mesh = test_box((int[3]){4, 2, 1}, 1, NULL);
  bp_problem_jacobians(mesh, &smallest, &largest, &worst, &volume);
  CU_ASSERT_DOUBLE_EQUAL(smallest, 1.0 / 64, 1e-16);
  CU_ASSERT_DOUBLE_EQUAL(largest, 1.0 / 64, 1e-16);
  CU_ASSERT_DOUBLE_EQUAL(volume, 1, 1e-14);
  mirror_element(mesh, 5);
  bp_problem_jacobians(mesh, &smallest, &largest, &worst, &volume);
  CU_ASSERT(worst == 5 && smallest < 0);
  CU_ASSERT_DOUBLE_EQUAL(volume, 0.75, 1e-14);
  test_box_destroy(mesh);
  for (int order = 1; order <= BP_MESH_ORDER_MAX; ++order) {
    mesh = test_box((int[3]){3, 2, 4}, order, test_warp);
    bp_problem_jacobians(mesh, &smallest, &largest, &worst, &volume);
    CHECK(fabs(volume - 1) < 1e-13, "order %d: 1%+g", order, volume - 1);
    CU_ASSERT(smallest > 0 && smallest < 1.0 / 192 && largest > 1.0 / 192);
    test_box_destroy(mesh);
  }
}
