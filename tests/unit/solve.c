/* solve.c -- tests of the bake-off problems: assembled operators, right-hand sides, CG, errors. */
#include "test.h"

#include "base/memory.h"
#include "base/npy.h"
#include "boxes.h"
#include "solve/bounds.h"
#include "solve/cg.h"
#include "solve/load.h"
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

/* With degree + `beyond` points of a rule; 0 and "own": the problem's. */
static bp_system *make_with(const char *name, int degree, int beyond, const char *rule,
                            double lambda, const bp_mesh *mesh)
{
  bp_system *system = NULL;
  const bp_bake_off *row = bp_bake_off_find(name);
  CU_ASSERT_FATAL(row != NULL);
  const bp_system_options options = {
      .row = row, .space = bp_bake_off_space_with(row, degree, beyond, rule), .lambda = lambda};
  bp_status status = bp_system_create(options, mesh, &system);
  CHECK(status == BP_OK, "%s: %s", name, bp_message());
  CU_ASSERT_FATAL(status == BP_OK);
  return system;
}

static bp_system *make(const char *name, int degree, double lambda, const bp_mesh *mesh)
{
  return make_with(name, degree, 0, "own", lambda, mesh);
}

static double *vector_of(const bp_system *system)
{
  return bp_alloc((size_t)bp_system_size(system), sizeof(double));
}

/* ---- A ---- */

/* Of A, or A / diagonal, by power iterations, from below. */
static double largest_eigenvalue(bp_system *system, const double *diagonal)
{
  const int64_t size = bp_system_size(system);
  double *u = vector_of(system), *v = vector_of(system), largest = 0;
  for (int64_t n = 0; n < size; ++n)
    u[n] = cos((double)(n * n));
  for (int k = 0; k < 60; ++k) {
    double square = 0;
    bp_system_apply(system, u, v);
    for (int64_t n = 0; n < size; ++n)
      v[n] /= diagonal ? diagonal[n] : 1;
    for (int64_t n = 0; n < size; ++n)
      square += v[n] * v[n];
    largest = sqrt(square);
    for (int64_t n = 0; n < size; ++n)
      u[n] = v[n] / largest;
  }
  bp_free(u);
  bp_free(v);
  return largest;
}

TEST(solve, bounds_are_above_and_not_far)
{
  static const double lambdas[] = {0.01, 1, 1e4};
  bp_mesh *mesh = test_box((const int[]){2, 2, 2}, 1, test_warp);
  for (int degree = 1; degree <= 4; ++degree)
    for (int n = 0; n < 3; ++n) {
      double bounds[BP_BOUNDS];
      bp_system *system = make("bp3", degree, lambdas[n], mesh);
      double *f = vector_of(system), *d = vector_of(system);
      const double largest = largest_eigenvalue(system, NULL);
      f[0] = 2;
      bp_bounds(system, f, NULL, bounds);
      CHECK(bounds[1] >= largest && bounds[1] < 2e4 * largest, "N=%d, lambda %g: %g for %g", degree,
            lambdas[n], bounds[1], largest);
      CU_ASSERT(bounds[0] >= 4 && bounds[2] >= (double)bp_system_size(system));
      bp_system_diagonal(system, d);
      bp_bounds(system, f, d, bounds);
      const double scaled = largest_eigenvalue(system, d);
      CHECK(bounds[1] >= scaled && bounds[1] < 100 * scaled, "N=%d, lambda %g, jacobi: %g for %g",
            degree, lambdas[n], bounds[1], scaled);
      CU_ASSERT(bounds[0] >= 4 / d[0] && bounds[3] >= d[0]);
      bp_free(f);
      bp_free(d);
      bp_system_destroy(system);
    }
  test_box_destroy(mesh);
}

/* Column by column; fixed unknowns keep a 1 on the diagonal, so that all is regular. */
static double *create_matrix(bp_system *system, int64_t n)
{
  double *matrix = bp_alloc((size_t)(n * n), sizeof *matrix);
  double *unit = vector_of(system), *v = vector_of(system);
  uint8_t *is_fixed = bp_alloc((size_t)n, sizeof *is_fixed);
  bp_unknowns_fixed(system->unknowns, is_fixed);
  for (int64_t b = 0; b < n; ++b) {
    unit[b] = 1;
    bp_system_apply(system, unit, v);
    unit[b] = 0;
    for (int64_t a = 0; a < n; ++a)
      matrix[a * n + b] = is_fixed[a] && a == b ? 1 : v[a];
  }
  bp_free(unit);
  bp_free(v);
  bp_free(is_fixed);
  return matrix;
}

static bool is_positive(double *matrix, int64_t n)
{
  for (int64_t k = 0; k < n; ++k) {
    if (!(matrix[k * n + k] > 0))
      return false;
    for (int64_t a = k + 1; a < n; ++a) {
      double factor = matrix[a * n + k] / matrix[k * n + k];
      for (int64_t b = k; b < n; ++b)
        matrix[a * n + b] -= factor * matrix[k * n + b];
    }
  }
  return true;
}

static void check_matrix(const char *name, int degree, int beyond, const char *rule,
                         const bp_mesh *mesh)
{
  bp_system *system = make_with(name, degree, beyond, rule, 0, mesh);
  int64_t n = system->unknowns->count, wrong = 0;
  double *matrix = create_matrix(system, n), *diagonal = bp_alloc((size_t)n, sizeof *diagonal);
  double size = 0;
  bp_system_diagonal(system, diagonal);
  for (int64_t a = 0; a < n; ++a)
    size = fmax(size, fabs(matrix[a * n + a]));
  for (int64_t a = 0; a < n; ++a)
    for (int64_t b = 0; b < a; ++b)
      wrong += fabs(matrix[a * n + b] - matrix[b * n + a]) > 1e-14 * size;
  CHECK(wrong == 0, "%s N=%d: %d entries are not symmetric", name, degree, (int)wrong);
  for (int64_t a = 0; a < n; ++a)
    CHECK(fabs(diagonal[a] - matrix[a * n + a]) < 1e-13 * size, "%s N=%d: diagonal %d: %g and %g",
          name, degree, (int)a, diagonal[a], matrix[a * n + a]);
  CHECK(is_positive(matrix, n), "%s N=%d: not positive", name, degree);
  bp_free(matrix);
  bp_free(diagonal);
  bp_system_destroy(system);
}

TEST(solve, matrices_are_symmetric_and_positive)
{
  bp_random random = bp_random_start(5);
  bp_mesh *box = test_box((int[3]){2, 2, 2}, 2, test_bend), *hoods = test_hoods(1, 1);
  test_rotate_all(box, &random);
  test_rotate_all(hoods, &random);
  for (int n = 0; n < BP_BAKE_OFFS; n += 2)
    for (int degree = 1; degree <= 3; ++degree) {
      check_matrix(bp_bake_offs[n].name, degree, 0, "own", box);
      check_matrix(bp_bake_offs[n].name, degree, 0, "own", hoods);
    }
  check_matrix("bp1", 2, 1, "gauss", hoods);
  check_matrix("bp1", 2, 1, "lobatto", hoods);
  check_matrix("bp3", 3, 1, "gauss", hoods);
  check_matrix("bp3", 2, 5, "lobatto", hoods);
  test_box_destroy(box);
  test_box_destroy(hoods);
}

/* Three components are three times the scalar problem. */
TEST(solve, applies_to_each_component_alone)
{
  bp_mesh *mesh = test_box((int[3]){2, 1, 2}, 1, test_warp);
  bp_random random = bp_random_start(6);
  for (int n = 0; n < BP_BAKE_OFFS; n += 2) {
    bp_system *scalar = make(bp_bake_offs[n].name, 3, 0.5, mesh);
    bp_system *vector = make(bp_bake_offs[n + 1].name, 3, 0.5, mesh);
    int64_t count = scalar->unknowns->count;
    CU_ASSERT_FATAL(bp_system_size(vector) == 3 * count);
    double *u = vector_of(vector), *v = vector_of(vector), *w = vector_of(scalar);
    for (int64_t i = 0; i < 3 * count; ++i)
      u[i] = bp_random_unit(&random) - 0.5;
    bp_system_apply(vector, u, v);
    for (int c = 0; c < 3; ++c) {
      bp_system_apply(scalar, u + c * count, w);
      CU_ASSERT(!memcmp(v + c * count, w, (size_t)count * sizeof *w));
    }
    bp_free(u);
    bp_free(v);
    bp_free(w);
    bp_system_destroy(scalar);
    bp_system_destroy(vector);
  }
  test_box_destroy(mesh);
}

/* ---- solutions ---- */

/* Solves with the known solution; *x, if asked for, is the caller's then. */
static bp_load_error solve(bp_system *system, bool jacobi, double tolerance, double **x)
{
  double *f = vector_of(system), *u = vector_of(system);
  bp_cg_result result;
  bp_cg_options options = {.iterations = 2000, .tolerance = tolerance, .jacobi = jacobi};
  bp_load_create(system, BP_LOAD_MANUFACTURED, f);
  bp_cg_solve(system, options, f, u, &result);
  CHECK(result.iterations < options.iterations, "%s: no convergence", system->row->name);
  CHECK(result.true_residual < 10 * tolerance, "%s: residual %g", system->row->name,
        result.true_residual);
  bp_cg_result_destroy(&result);
  bp_load_error error = bp_load_compare(system, u);
  bp_free(f);
  if (x)
    *x = u;
  else
    bp_free(u);
  return error;
}

/* The order by two meshes, the second twice as fine; elements turned at random. */
static double order_of(const char *name, int degree, int beyond, const char *rule, double lambda,
                       test_map *map)
{
  static const int coarse[] = {0, 5, 4, 3, 3};
  bp_load_error error[2];
  for (int fine = 0; fine < 2; ++fine) {
    int n = coarse[degree] << fine;
    bp_random random = bp_random_start(1);
    bp_mesh *mesh = test_box((int[3]){n, n, n}, map == test_warp ? 1 : 2, map);
    test_rotate_all(mesh, &random);
    bp_system *system = make_with(name, degree, beyond, rule, lambda, mesh);
    error[fine] = solve(system, true, 1e-8, NULL);
    bp_system_destroy(system);
    test_box_destroy(mesh);
  }
  CHECK(fabs(error[0].norm / error[1].norm - 1) < 1e-2, "%s: norms %g and %g", name, error[0].norm,
        error[1].norm);
  return log2(error[0].error / error[1].error);
}

static void converges_with(const char *name, int degree, int beyond, const char *rule,
                           double lambda, test_map *map)
{
  double order = order_of(name, degree, beyond, rule, lambda, map);
  CHECK(fabs(order - (degree + 1)) < 0.35, "%s N=%d, N+%d %s: order %.2f", name, degree, beyond,
        rule, order);
}

static void converges(const char *name, int degree, double lambda, test_map *map)
{
  converges_with(name, degree, 0, "own", lambda, map);
}

TEST(solve, converges_with_order_N_plus_1)
{
  for (int n = 0; n < BP_BAKE_OFFS; ++n)
    for (int degree = 1; degree <= (n == 4 ? 4 : bp_bake_offs[n].components == 1 ? 3 : 2); ++degree)
      converges(bp_bake_offs[n].name, degree, 0, test_warp);
}

/* A boundary where the known solution is not zero: its values are moved to the other side. */
TEST(solve, converges_on_domains_of_any_shape)
{
  converges("bp3", 2, 0, test_bend);
  converges("bp5", 3, 0.1, test_bend);
  converges("bp1", 3, 0, test_bend);
}

TEST(solve, converges_with_any_number_of_points)
{
  for (int degree = 1; degree <= 2; ++degree)
    for (int beyond = 1; beyond <= BP_POINTS_BEYOND_MAX; beyond += BP_POINTS_BEYOND_MAX - 1) {
      converges_with("bp1", degree, beyond, "gauss", 0, test_warp);
      converges_with("bp3", degree, beyond, "gauss", 0, test_warp);
    }
  converges_with("bp1", 3, 1, "gauss", 0, test_warp);
  converges_with("bp1", 2, 2, "lobatto", 0, test_warp);
  converges_with("bp3", 2, 1, "lobatto", 0, test_warp);
  converges_with("bp4", 1, 4, "lobatto", 0, test_warp);
}

/* Points at the nodes make the mass a diagonal, but not the load, which is by more points. */
TEST(solve, a_lumped_mass_costs_an_order)
{
  double order = order_of("bp1", 2, 1, "lobatto", 0, test_warp);
  CHECK(fabs(order - 2) < 0.35, "order %.2f", order);
}

/* As many Lobatto points as nodes make BP3 BP5. */
TEST(solve, bp3_with_points_at_the_nodes_is_bp5)
{
  bp_mesh *mesh = test_box((int[3]){2, 2, 2}, 2, test_bend);
  for (int degree = 1; degree <= 4; ++degree) {
    bp_system *bp3 = make_with("bp3", degree, 1, "lobatto", 0.3, mesh);
    bp_system *bp5 = make("bp5", degree, 0.3, mesh);
    double *x3, *x5, far = 0;
    solve(bp3, true, 1e-12, &x3);
    solve(bp5, true, 1e-12, &x5);
    for (int64_t n = 0; n < bp_system_size(bp3); ++n)
      far = fmax(far, fabs(x3[n] - x5[n]));
    CHECK(far < 1e-13, "N=%d: %g", degree, far);
    bp_free(x3);
    bp_free(x5);
    bp_system_destroy(bp3);
    bp_system_destroy(bp5);
  }
  test_box_destroy(mesh);
}

TEST(solve, jacobi_finds_the_same_solution)
{
  bp_mesh *mesh = test_box((int[3]){3, 2, 2}, 2, test_bend);
  for (int n = 0; n < BP_BAKE_OFFS; ++n) {
    bp_system *system = make(bp_bake_offs[n].name, 3, 0.1, mesh);
    double *plain, *jacobi, far = 0;
    solve(system, false, 1e-13, &plain);
    solve(system, true, 1e-13, &jacobi);
    for (int64_t i = 0; i < bp_system_size(system); ++i)
      far = fmax(far, fabs(plain[i] - jacobi[i]));
    CHECK(far > 0 && far < 1e-9, "%s: %g", system->row->name, far);
    bp_free(plain);
    bp_free(jacobi);
    bp_system_destroy(system);
  }
  test_box_destroy(mesh);
}

/* What the elements see of the solution, local[e][k][j][i]. */
static double *solve_local(const bp_mesh *mesh, const char *name, int degree)
{
  double *u;
  bp_system *system = make(name, degree, 0, mesh);
  solve(system, true, 1e-12, &u);
  double *local = bp_alloc((size_t)bp_problem_dofs(system->problem), sizeof *local);
  bp_unknowns_scatter(system->unknowns, 0, system->unknowns->elements, u, local);
  bp_free(u);
  bp_system_destroy(system);
  return local;
}

TEST(solve, does_not_see_how_an_element_is_turned)
{
  enum { N = 3, nq = N + 1, NODES = nq * nq * nq, TURNED = 4 };
  static const char *const names[] = {"bp1", "bp3", "bp5"};
  for (int rotation = 0; rotation < TEST_ROTATIONS; ++rotation) {
    const char *name = names[rotation % 3];
    bp_mesh *mesh = test_box((int[3]){2, 2, 2}, 2, test_bend);
    double *before = solve_local(mesh, name, N), far = 0;
    test_rotation turn = test_rotation_of(rotation);
    test_rotate_element(mesh, TURNED, turn);
    double *after = solve_local(mesh, name, N);
    for (int64_t e = 0; e < mesh->elements; ++e)
      for (int n = 0; n < NODES; ++n) {
        int i = n % nq, j = n / nq % nq, k = n / nq / nq;
        int old = e == TURNED ? test_rotated(turn, nq, i, j, k) : n;
        far = fmax(far, fabs(after[e * NODES + n] - before[e * NODES + old]));
      }
    CHECK(far < 1e-9, "%s, rotation %d: %g", name, rotation, far);
    bp_free(before);
    bp_free(after);
    test_box_destroy(mesh);
  }
}

TEST(solve, does_not_depend_on_the_number_of_threads)
{
  int threads = omp_get_max_threads();
  bp_mesh *mesh = test_box((int[3]){3, 3, 3}, 1, test_warp);
  bp_system *system = make("bp5", 6, 0, mesh);
  double *one, *three;
  omp_set_num_threads(1);
  solve(system, true, 1e-8, &one);
  omp_set_num_threads(3);
  solve(system, true, 1e-8, &three);
  omp_set_num_threads(threads);
  CU_ASSERT(!memcmp(one, three, (size_t)bp_system_size(system) * sizeof *one));
  bp_free(one);
  bp_free(three);
  bp_system_destroy(system);
  test_box_destroy(mesh);
}

/* ---- iterations ---- */

TEST(solve, does_the_iterations_it_is_told)
{
  bp_mesh *mesh = test_box((int[3]){2, 2, 2}, 1, test_warp);
  bp_system *system = make("bp3", 3, 0, mesh);
  double *f = vector_of(system), *x = vector_of(system);
  bp_cg_result result;
  bp_load_create(system, BP_LOAD_CONSTANT, f);
  bp_cg_solve(system, (bp_cg_options){.iterations = 7}, f, x, &result);
  CU_ASSERT(result.iterations == 7);
  CU_ASSERT(fabs(result.residuals[7] / result.residuals[0] - result.true_residual) < 1e-12);
  bp_cg_result_destroy(&result);
  bp_cg_solve(system, (bp_cg_options){.iterations = 500, .tolerance = 1e-6}, f, x, &result);
  int k = result.iterations;
  CU_ASSERT(k > 7 && k < 500 && result.residuals[k] <= 1e-6 * result.residuals[0]);
  CU_ASSERT(result.residuals[k - 1] > 1e-6 * result.residuals[0]);
  bp_cg_result_destroy(&result);
  memset(f, 0, (size_t)bp_system_size(system) * sizeof *f); /* nothing to do, and no 0 / 0 */
  bp_cg_solve(system, (bp_cg_options){.iterations = 3, .jacobi = true}, f, x, &result);
  CU_ASSERT(result.iterations == 3 && result.residuals[3] == 0 && result.true_residual == 0);
  for (int64_t n = 0; n < bp_system_size(system); ++n)
    CU_ASSERT(x[n] == 0);
  bp_cg_result_destroy(&result);
  bp_free(f);
  bp_free(x);
  bp_system_destroy(system);
  test_box_destroy(mesh);
}

/* ---- right-hand sides ---- */

TEST(solve, a_constant_load_adds_up_to_the_volume)
{
  bp_mesh *mesh = test_box((int[3]){2, 3, 1}, 1, test_warp); /* a unit cube outside */
  bp_system *system = make("bp2", 4, 0, mesh);
  double *f = vector_of(system), sum[3] = {0};
  int64_t count = system->unknowns->count;
  bp_load_create(system, BP_LOAD_CONSTANT, f);
  for (int64_t n = 0; n < 3 * count; ++n)
    sum[n / count] += f[n];
  CU_ASSERT(fabs(sum[0] - 1) < 1e-12 && fabs(sum[1] - 1) < 1e-12 && fabs(sum[2] - 1) < 1e-12);
  bp_free(f);
  bp_system_destroy(system);
  test_box_destroy(mesh);
}

TEST(solve, reads_a_right_hand_side)
{
  char path[] = "/tmp/bp-unit-XXXXXX";
  close(mkstemp(path));
  bp_mesh *mesh = test_box((int[3]){2, 2, 2}, 1, NULL);
  bp_system *scalar = make("bp3", 2, 0, mesh), *vector = make("bp2", 2, 0, mesh);
  int64_t n = scalar->unknowns->count, shape[2] = {n, 3};
  double *f = vector_of(vector), *values = bp_alloc((size_t)n * 3, sizeof *values);
  uint8_t *is_fixed = bp_alloc((size_t)n, sizeof *is_fixed);
  for (int64_t i = 0; i < 3 * n; ++i)
    values[i] = 1 + (double)i;
  bp_unknowns_fixed(scalar->unknowns, is_fixed);
  CU_ASSERT(!bp_npy_write(BP_NPY_FLOAT64, path, 1, shape, values) &&
            !bp_load_read(scalar, path, f));
  for (int64_t i = 0; i < n; ++i)
    CU_ASSERT(f[i] == (is_fixed[i] ? 0 : values[i]));
  CU_ASSERT(bp_load_read(vector, path, f) == BP_BAD_INPUT);
  CU_ASSERT(!bp_npy_write(BP_NPY_FLOAT64, path, 2, shape, values) &&
            !bp_load_read(vector, path, f));
  for (int64_t i = 0; i < 3 * n; ++i)
    CU_ASSERT(f[i % 3 * n + i / 3] == values[i]);
  values[n - 1] = NAN;
  CU_ASSERT(!bp_npy_write(BP_NPY_FLOAT64, path, 1, shape, values));
  CU_ASSERT(bp_load_read(scalar, path, f) == BP_BAD_INPUT);
  CHECK(strstr(bp_message(), "expected finite numbers, found nan at index 124") != NULL, "%s",
        bp_message());
  unlink(path);
  bp_free(f);
  bp_free(values);
  bp_free(is_fixed);
  bp_system_destroy(scalar);
  bp_system_destroy(vector);
  test_box_destroy(mesh);
}

/* ---- what is refused ---- */

static void refuses(const bp_mesh *mesh, const char *message)
{
  const bp_bake_off *row = bp_bake_off_find("bp5");
  bp_system_options options = {.row = row, .space = bp_bake_off_space(row, 2)};
  bp_system *system;
  CU_ASSERT(bp_system_create(options, mesh, &system) == BP_BAD_INPUT && system == NULL);
  CHECK(strstr(bp_message(), message) != NULL, "%s", bp_message());
}

/* A torus has no boundary. Beside a box, and not connected with it, it is the loose part. */
TEST(solve, refuses_a_singular_operator)
{
  bp_mesh *torus = test_torus((int[3]){3, 3, 3});
  refuses(torus, "bp5, found nothing fixed and lambda 0: the operator is singular");
  bp_mesh *both = test_box((int[3]){28, 1, 1}, 1, NULL);
  both->node = bp_realloc(both->node, 28 * 8, sizeof *both->node);
  for (int n = 0; n < 27 * 8; ++n) /* after the box's first element comes the torus */
    both->node[8 + n] = torus->node[n] + (int32_t)both->nodes;
  both->x = bp_realloc(both->x, (size_t)(both->nodes + torus->nodes) * 3, sizeof *both->x);
  memcpy(both->x + 3 * both->nodes, torus->x, (size_t)torus->nodes * 3 * sizeof *both->x);
  both->nodes += torus->nodes;
  refuses(both, "found nothing fixed in the part of element 17: the operator is singular");
  test_box_destroy(torus);
  test_box_destroy(both);
}

TEST(solve, takes_parts_that_each_have_a_boundary)
{
  bp_mesh *mesh = test_box((int[3]){3, 1, 1}, 1, NULL);
  test_drop_element(mesh, 1);
  bp_system *system = make("bp3", 3, 0, mesh);
  CU_ASSERT(system->unknowns->count - system->unknowns->fixed == 2 * 8);
  bp_system_destroy(system);
  test_box_destroy(mesh);
}

/* ---- groups ---- */

/* Two cubes in a row, the surface at x = 0 in a group, in every format. */
static const char two_cubes_22[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"inlet\"\n3 1 \"all\"\n"
    "$EndPhysicalNames\n$Nodes\n13\n99 9 9 9\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n"
    "6 2 1 0\n7 0 0 1\n8 1 0 1\n9 2 0 1\n10 0 1 1\n11 1 1 1\n12 2 1 1\n$EndNodes\n$Elements\n4\n"
    "1 3 2 7 5 1 4 10 7\n2 5 2 1 1 1 2 5 4 7 8 11 10\n3 5 2 1 1 2 3 6 5 8 9 12 11\n"
    "4 3 2 8 6 99 4 10 7\n$EndElements\n";
/* The first of them in two groups of volumes, once for each. */
static const char two_cubes_twice[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"inlet\"\n$EndPhysicalNames\n"
    "$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n7 0 0 1\n8 1 0 1\n9 2 0 1\n"
    "10 0 1 1\n11 1 1 1\n12 2 1 1\n$EndNodes\n$Elements\n4\n1 3 2 7 5 1 4 10 7\n"
    "2 5 2 1 1 1 2 5 4 7 8 11 10\n3 5 2 2 1 1 2 5 4 7 8 11 10\n4 5 2 1 1 2 3 6 5 8 9 12 11\n"
    "$EndElements\n";
static const char two_cubes_41[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"inlet\"\n3 1 \"all\"\n"
    "$EndPhysicalNames\n$Entities\n0 0 2 1\n5 0 0 0 0 1 1 1 7 0\n6 2 0 0 2 1 1 1 8 0\n"
    "1 0 0 0 2 1 1 1 1 0\n$EndEntities\n$Nodes\n1 13 1 99\n3 1 0 13\n99\n1\n2\n3\n4\n5\n6\n7\n"
    "8\n9\n10\n11\n12\n9 9 9\n0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n0 0 1\n1 0 1\n2 0 1\n"
    "0 1 1\n1 1 1\n2 1 1\n$EndNodes\n$Elements\n3 4 1 4\n2 5 3 1\n1 1 4 10 7\n2 6 3 1\n"
    "4 99 4 10 7\n3 1 5 2\n2 1 2 5 4 7 8 11 10\n3 2 3 6 5 8 9 12 11\n$EndElements\n";

static bp_status create_fixed(const bp_mesh *mesh, const char *group, bp_system **system)
{
  const bp_bake_off *row = bp_bake_off_find("bp3");
  bp_system_options options = {
      .row = row, .space = bp_bake_off_space(row, 3), .fixed = &group, .fixed_count = 1};
  return bp_system_create(options, mesh, system);
}

static void fixes(const char *text, const char *group)
{
  bp_mesh *mesh;
  bp_system *system;
  CU_ASSERT_FATAL(!bp_mesh_read_bytes("cubes", text, strlen(text), &mesh));
  CU_ASSERT_FATAL(!create_fixed(mesh, group, &system));
  int64_t count = system->unknowns->count, wrong = 0;
  double *x = bp_alloc((size_t)count * 3, sizeof *x);
  uint8_t *is_fixed = bp_alloc((size_t)count, sizeof *is_fixed);
  bp_unknowns_nodes(system->unknowns, mesh, x);
  bp_unknowns_fixed(system->unknowns, is_fixed);
  for (int64_t n = 0; n < count; ++n)
    wrong += is_fixed[n] != (x[3 * n] == 0);
  CHECK(system->unknowns->fixed == 16 && wrong == 0, "%.20s: %d fixed, %d wrong", text,
        (int)system->unknowns->fixed, (int)wrong);
  bp_free(x);
  bp_free(is_fixed);
  bp_system_destroy(system);
  bp_mesh_destroy(mesh);
}

TEST(solve, fixes_a_physical_group)
{
  fixes(two_cubes_22, "inlet");
  fixes(two_cubes_22, "7");
  fixes(two_cubes_twice, "inlet");
  fixes(two_cubes_41, "inlet");
  fixes(two_cubes_41, "7");
}

TEST(solve, refuses_groups_that_name_no_face)
{
  static const char *const texts[] = {two_cubes_22, two_cubes_41};
  for (int t = 0; t < 2; ++t) {
    bp_mesh *mesh;
    bp_system *system;
    CU_ASSERT_FATAL(!bp_mesh_read_bytes("cubes", texts[t], strlen(texts[t]), &mesh));
    CU_ASSERT(create_fixed(mesh, "inlets", &system) == BP_BAD_INPUT && !system);
    CU_ASSERT_STRING_EQUAL(bp_message(),
                           "cubes: expected a physical group of surfaces (7 \"inlet\", 8), "
                           "found \"inlets\"; did you mean 'inlet'?");
    CU_ASSERT(create_fixed(mesh, "8", &system) == BP_BAD_INPUT && !system);
    CU_ASSERT_STRING_EQUAL(
        bp_message(), "cubes: expected faces of elements in the physical group \"8\", found none");
    bp_mesh_destroy(mesh);
  }
}

/* All that goes through the elements in chunks: A x, its diagonal, the load, the error. */
typedef struct {
  double *v, *diagonal, *f;
  bp_load_error error;
} through_chunks;

static through_chunks go_through(bp_system *system, int64_t chunk, const double *x)
{
  const size_t size = (size_t)bp_system_size(system);
  through_chunks t = {.v = bp_alloc(size, sizeof(double)),
                      .diagonal = bp_alloc(size, sizeof(double)),
                      .f = bp_alloc(size, sizeof(double))};
  system->chunk = chunk;
  bp_system_apply(system, x, t.v);
  bp_system_diagonal(system, t.diagonal);
  bp_load_create(system, BP_LOAD_MANUFACTURED, t.f);
  t.error = bp_load_compare(system, x);
  return t;
}

static void through_destroy(through_chunks *t)
{
  bp_free(t->v);
  bp_free(t->diagonal);
  bp_free(t->f);
}

TEST(solve, does_not_depend_on_chunks_of_elements)
{
  bp_mesh *mesh = test_box((int[3]){3, 2, 3}, 2, test_bend); /* u* is not 0 at its boundary */
  for (int n = 0; n < 2; ++n) {
    bp_system *system = make(n ? "bp4" : "bp5", 3, 0, mesh);
    const size_t bytes = (size_t)bp_system_size(system) * sizeof(double);
    double *x = bp_alloc(bytes, 1);
    for (int64_t i = 0; i < bp_system_size(system); ++i)
      x[i] = (double)(i * 7919 % 1000) / 1000;
    CU_ASSERT(system->chunk == mesh->elements);
    through_chunks whole = go_through(system, mesh->elements, x), few = go_through(system, 4, x);
    CU_ASSERT(!memcmp(whole.v, few.v, bytes));
    CU_ASSERT(!memcmp(whole.diagonal, few.diagonal, bytes));
    CU_ASSERT(!memcmp(whole.f, few.f, bytes));
    CU_ASSERT(whole.error.error == few.error.error && whole.error.norm == few.error.norm);
    CU_ASSERT(whole.error.error > 0);
    through_destroy(&whole);
    through_destroy(&few);
    bp_free(x);
    bp_system_destroy(system);
  }
  test_box_destroy(mesh);
}
