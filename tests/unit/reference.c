/* reference.c -- the reference operators by mathematics: what must hold whatever the
 * implementation. */
#include "space.h"
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "fem/reference.h"
#include <float.h>

static const int few[3] = {2, 1, 2};

static bp_problem *problem_on(const bp_mesh *mesh, const char *op, int degree, double lambda)
{
  bp_problem *problem = NULL;
  CU_ASSERT_FATAL(bp_problem_create(bp_operator_find(op), space_of(op, degree), lambda, mesh,
                                    &problem) == BP_OK);
  return problem;
}

static double *create_vector(const bp_problem *problem)
{
  return bp_alloc((size_t)bp_problem_dofs(problem), sizeof(double));
}

static double *create_random(const bp_problem *problem, uint64_t seed)
{
  bp_random random = bp_random_start(seed);
  double *u = create_vector(problem);
  for (int64_t n = 0; n < bp_problem_dofs(problem); ++n)
    u[n] = 2 * bp_random_unit(&random) - 1;
  return u;
}

static double *create_applied(const bp_problem *problem, const double *u)
{
  double *v = create_vector(problem);
  bp_reference_apply(problem, 0, problem->elements, u, v);
  return v;
}

static long double dot(const bp_problem *problem, const double *u, const double *v)
{
  long double sum = 0;
  for (int64_t n = 0; n < bp_problem_dofs(problem); ++n)
    sum += (long double)u[n] * v[n];
  return sum;
}

/* u at the nodes of a field f(x). */
typedef double field(const double x[3]);

static double *create_field(const bp_problem *problem, const bp_mesh *mesh, field *f)
{
  double *u = create_vector(problem),
         *x = bp_alloc((size_t)bp_problem_dofs(problem) * 3, sizeof *x);
  bp_problem_nodes(mesh, problem->basis.degree, 0, mesh->elements, x);
  for (int64_t n = 0; n < bp_problem_dofs(problem); ++n)
    u[n] = f(x + 3 * n);
  bp_free(x);
  return u;
}

/* uᵀAu of a field. */
static double energy(const bp_mesh *mesh, const char *op, int degree, double lambda, field *f)
{
  bp_problem *problem = problem_on(mesh, op, degree, lambda);
  double *u = create_field(problem, mesh, f), *v = create_applied(problem, u);
  double result = (double)dot(problem, u, v);
  bp_free(u);
  bp_free(v);
  bp_problem_destroy(problem);
  return result;
}

static double one(const double x[3])
{
  (void)x;
  return 1;
}

TEST(reference, integrates_one_to_the_volume)
{
  for (int order = 1; order <= 3; ++order) {
    double smallest, largest, volume;
    int64_t worst;
    bp_mesh *mesh = test_box(few, order, test_bend);
    bp_problem_jacobians(mesh, &smallest, &largest, &worst, &volume);
    for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree) {
      if (2 * degree + 3 >= 3 * order - 1)
        CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp1.0", degree, 0, one), volume, 1e-14);
      if (2 * degree + 3 >= 3 * order - 1)
        CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp3.0", degree, 2.5, one), 2.5 * volume, 1e-13);
      if (2 * degree - 1 >= 3 * order - 1)
        CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp3.5", degree, 2.5, one), 2.5 * volume, 1e-13);
    }
    test_box_destroy(mesh);
  }
}

TEST(reference, maps_constants_to_zero_without_lambda)
{
  bp_mesh *mesh = test_box(few, 2, test_bend);
  for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree)
    for (int o = 1; o < BP_OPERATORS; ++o) {
      bp_problem *problem = problem_on(mesh, bp_operators[o].name, degree, 0);
      double *u = create_field(problem, mesh, one), *v = create_applied(problem, u);
      double *noise = create_random(problem, 1), *size = create_applied(problem, noise);
      double largest = 0, scale = 0;
      for (int64_t n = 0; n < bp_problem_dofs(problem); ++n) {
        largest = fmax(largest, fabs(v[n]));
        scale = fmax(scale, fabs(size[n]));
      }
      CHECK(largest < 8 * DBL_EPSILON * scale, "%s N=%d: %g of %g", bp_operators[o].name, degree,
            largest, scale);
      bp_free(u);
      bp_free(v);
      bp_free(noise);
      bp_free(size);
      bp_problem_destroy(problem);
    }
  test_box_destroy(mesh);
}

static void is_symmetric_positive_and_linear(const bp_mesh *mesh, const bp_operator *op, int degree)
{
  bp_problem *problem = problem_on(mesh, op->name, degree, 0.75);
  int64_t count = bp_problem_dofs(problem);
  double *u = create_random(problem, 11), *w = create_random(problem, 12);
  double *sum = create_vector(problem);
  for (int64_t n = 0; n < count; ++n)
    sum[n] = 3 * u[n] - 0.5 * w[n];
  double *Au = create_applied(problem, u), *Aw = create_applied(problem, w);
  double *Asum = create_applied(problem, sum);
  long double wAu = dot(problem, w, Au), uAw = dot(problem, u, Aw), uAu = dot(problem, u, Au);
  CHECK(fabsl(wAu - uAw) < 1e-14 * uAu, "%s N=%d: %Lg and %Lg", op->name, degree, wAu, uAw);
  CHECK(uAu > 0 && dot(problem, w, Aw) > 0, "%s N=%d: %Lg", op->name, degree, uAu);
  for (int64_t n = 0; n < count; ++n)
    Au[n] = 3 * Au[n] - 0.5 * Aw[n];
  int64_t where;
  double error = bp_reference_error(problem, 0, problem->elements, Au, Asum, &where);
  CHECK(error < bp_reference_tolerance(problem), "%s N=%d: %g", op->name, degree, error);
  bp_free(u);
  bp_free(w);
  bp_free(sum);
  bp_free(Au);
  bp_free(Aw);
  bp_free(Asum);
  bp_problem_destroy(problem);
}

TEST(reference, is_symmetric_positive_definite_and_linear)
{
  bp_mesh *mesh = test_box(few, 2, test_bend);
  for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree)
    for (int o = 0; o < BP_OPERATORS; ++o)
      is_symmetric_positive_and_linear(mesh, &bp_operators[o], degree);
  test_box_destroy(mesh);
}

static double linear(const double x[3])
{
  return 0.5 + 2 * x[0] - 3 * x[1] + 0.25 * x[2];
}

/* The gradient of a linear field is what it is on any mesh whose maps the nodes can follow. */
TEST(reference, is_exact_on_linear_fields_of_curved_meshes)
{
  const double slope = 2 * 2 + 3 * 3 + 0.25 * 0.25;
  for (int order = 1; order <= 3; ++order) {
    double smallest, largest, volume;
    int64_t worst;
    bp_mesh *mesh = test_box(few, order, test_bend);
    bp_problem_jacobians(mesh, &smallest, &largest, &worst, &volume);
    for (int degree = order; degree <= BP_DEGREE_MAX; ++degree) {
      double expected = slope * volume;
      CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp3.0", degree, 0, linear), expected, 1e-13 * expected);
      if (2 * degree - 1 >= 3 * order - 1)
        CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp3.5", degree, 0, linear), expected,
                               1e-13 * expected);
    }
    test_box_destroy(mesh);
  }
}

/* Over the unit cube, worked out by hand: the integral of u^2 is 1/5 + 4/9 + 2/6 = 44/45 and that
 * of |grad u|^2 = 4x^2 + 4z^2 + 4y^2 is 4. */
static double quadratic(const double x[3])
{
  return x[0] * x[0] + 2 * x[1] * x[2];
}

TEST(reference, is_exact_on_quadratic_fields_of_bricks)
{
  bp_mesh *mesh = test_box(few, 1, NULL);
  for (int degree = 2; degree <= BP_DEGREE_MAX; ++degree) {
    CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp1.0", degree, 0, quadratic), 44.0 / 45, 1e-14);
    CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp3.0", degree, 0, quadratic), 4, 1e-13);
    CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp3.0", degree, 9, quadratic), 4 + 44.0 / 5, 1e-13);
    CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp3.5", degree, 0, quadratic), 4, 1e-13);
    if (degree > 2) /* Lobatto's rule of three points is no longer exact for x^4 */
      CU_ASSERT_DOUBLE_EQUAL(energy(mesh, "bp3.5", degree, 9, quadratic), 4 + 44.0 / 5, 1e-13);
  }
  test_box_destroy(mesh);
}

/* v of the turned element, of the turned u, is the turned v. */
static void is_invariant(const bp_operator *op, int degree, test_rotation rotation)
{
  static const int single[3] = {1, 1, 1};
  bp_mesh *mesh = test_box(single, 2, test_bend);
  bp_problem *straight = problem_on(mesh, op->name, degree, 2);
  double *u = create_random(straight, 5), *v = create_applied(straight, u);
  test_rotate_element(mesh, 0, rotation); /* the problem follows its mesh */
  bp_problem *turned = problem_on(mesh, op->name, degree, 2);
  double *turned_u = create_vector(turned), *expected = create_vector(turned);
  int nq = straight->basis.nq;
  for (int n = 0; n < nq * nq * nq; ++n) {
    int old = test_rotated(rotation, nq, n % nq, n / nq % nq, n / nq / nq);
    turned_u[n] = u[old];
    expected[n] = v[old];
  }
  double *turned_v = create_applied(turned, turned_u);
  int64_t where;
  double error = bp_reference_error(turned, 0, 1, turned_v, expected, &where);
  CHECK(error < bp_reference_tolerance(turned), "%s N=%d: %g", op->name, degree, error);
  bp_free(u);
  bp_free(v);
  bp_free(turned_u);
  bp_free(turned_v);
  bp_free(expected);
  bp_problem_destroy(straight);
  bp_problem_destroy(turned);
  test_box_destroy(mesh);
}

TEST(reference, does_not_care_how_an_element_is_turned)
{
  static const int degrees[] = {1, 2, 5, 8};
  for (int number = 0; number < TEST_ROTATIONS; ++number)
    for (int o = 0; o < BP_OPERATORS; ++o)
      for (size_t d = 0; d < sizeof degrees / sizeof *degrees; ++d)
        is_invariant(&bp_operators[o], degrees[d], test_rotation_of(number));
}

TEST(reference, does_not_care_in_which_order_elements_come)
{
  enum { ELEMENTS = 24 };
  int64_t order[ELEMENTS];
  bp_random random = bp_random_start(3);
  bp_mesh *mesh = test_box((int[3]){2, 3, 4}, 1, test_bend);
  bp_problem *before = problem_on(mesh, "bp3.0", 4, 1);
  double *u = create_random(before, 6), *v = create_applied(before, u);
  test_shuffle_elements(mesh, &random, order);
  bp_problem *after = problem_on(mesh, "bp3.0", 4, 1);
  double *shuffled = create_vector(after);
  size_t bytes = 125 * sizeof *u;
  for (int e = 0; e < ELEMENTS; ++e)
    memcpy(shuffled + 125 * e, u + 125 * order[e], bytes);
  double *result = create_applied(after, shuffled);
  for (int e = 0; e < ELEMENTS; ++e)
    CU_ASSERT(memcmp(result + 125 * e, v + 125 * order[e], bytes) == 0);
  bp_free(u);
  bp_free(v);
  bp_free(shuffled);
  bp_free(result);
  bp_problem_destroy(before);
  bp_problem_destroy(after);
  test_box_destroy(mesh);
}

TEST(reference, applies_a_range_of_elements_as_it_applies_all)
{
  bp_problem *problem;
  bp_problem_random(bp_operator_find("bp3.5"), space_of("bp3.5", 3), 1, 9, 7, &problem);
  double *u = create_random(problem, 8), *all = create_applied(problem, u);
  double *part = create_vector(problem);
  bp_reference_apply(problem, 2, 5, u, part);
  for (int64_t n = 0; n < bp_problem_dofs(problem); ++n)
    CU_ASSERT(part[n] == (n / 64 >= 2 && n / 64 < 5 ? all[n] : 0));
  bp_free(u);
  bp_free(all);
  bp_free(part);
  bp_problem_destroy(problem);
}

/* v of an operator on a brick, with so many points of a rule; the caller frees. */
static double *applied_with(const bp_mesh *mesh, const char *name, int beyond, const char *rule)
{
  const bp_operator *op = bp_operator_find(name);
  bp_problem *problem = NULL;
  CU_ASSERT_FATAL(bp_problem_create(op, bp_operator_space_with(op, 4, beyond, rule), 1.5, mesh,
                                    &problem) == BP_OK);
  double *u = create_random(problem, 3), *v = create_applied(problem, u);
  bp_free(u);
  bp_problem_destroy(problem);
  return v;
}

/* On a brick products of two polynomials of degree N are integrated exactly by N+1 Gauss points or N+2
 * Lobatto points and any more; not by N+1 Lobatto points. */
TEST(reference, does_not_care_how_many_points_are_more_than_enough)
{
  static const char *const operators[] = {"bp1.0", "bp3.0"}, *const rules[] = {"gauss", "lobatto"};
  enum { NODES = 125 };
  bp_mesh *mesh = NULL;
  CU_ASSERT_FATAL(bp_mesh_box(1, 1, 1, 0, &mesh) == BP_OK);
  for (int o = 0; o < 2; ++o) {
    double *own = applied_with(mesh, operators[o], 0, "own");
    for (int r = 0; r < 2; ++r)
      for (int beyond = 1; beyond <= BP_POINTS_BEYOND_MAX; ++beyond) {
        double *v = applied_with(mesh, operators[o], beyond, rules[r]), error = 0, size = 0;
        for (int n = 0; n < NODES; ++n) {
          error = fmax(error, fabs(v[n] - own[n]));
          size = fmax(size, fabs(own[n]));
        }
        bool is_enough = r == 0 || beyond > 1;
        CHECK(is_enough ? error < 1e-13 * size : error > 1e-3 * size, "%s, N+%d %s: %g",
              operators[o], beyond, rules[r], error / size);
        bp_free(v);
      }
    bp_free(own);
  }
  bp_mesh_destroy(mesh);
}

/* However many threads look, the worst value is told, and the first of several that are alike. */
TEST(reference, the_worst_error_has_one_place)
{
  enum { DEGREE = 2, NODES = 27, ELEMENTS = 40 };
  bp_mesh *mesh = NULL;
  CU_ASSERT_FATAL(bp_mesh_box(ELEMENTS, 1, 1, 0, &mesh) == BP_OK);
  bp_problem *problem = problem_on(mesh, "bp1.0", DEGREE, 1);
  double *reference = create_vector(problem), *v = create_vector(problem);
  int64_t where = -1;
  for (int64_t n = 0; n < bp_problem_dofs(problem); ++n)
    v[n] = reference[n] = 1;
  CU_ASSERT(bp_reference_error(problem, 0, ELEMENTS, v, reference, &where) == 0 && where == 0);
  v[7 * NODES + 3] = v[31 * NODES] = v[20 * NODES + 26] = 1.5;
  v[39 * NODES + 5] = 0.75;
  CU_ASSERT(bp_reference_error(problem, 0, ELEMENTS, v, reference, &where) == 0.5);
  CU_ASSERT_EQUAL(where, 7 * NODES + 3);
  v[33 * NODES + 1] = NAN;
  CU_ASSERT(isinf(bp_reference_error(problem, 0, ELEMENTS, v, reference, &where)));
  CU_ASSERT_EQUAL(where, 33 * NODES + 1);
  bp_free(reference);
  bp_free(v);
  bp_problem_destroy(problem);
  bp_mesh_destroy(mesh);
}
