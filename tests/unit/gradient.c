/* gradient.c -- tests of gradients on four shapes by mathematics: exact on polynomials, nodes that
 * elements share. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "fem/gradient.h"
#include "fem/reference.h"
#include "measure/verify.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 64 * 3 };

static bp_space space_at(int shape, int degree)
{
  return (bp_space){.degree = degree,
                    .points = degree + 1,
                    .rule = BP_GAUSS,
                    .fields = 1,
                    .shape = (bp_cell)shape};
}

/* x^i y^j z^k, and its derivative along d (-1: the value). */
static long double power(const int *p, int dim, const long double *x, int d)
{
  long double value = 1;
  for (int b = 0; b < dim; ++b) {
    int n = p[b];
    value *= b == d ? (n == 0 ? 0 : n * powl(x[b], n - 1)) : powl(x[b], n);
  }
  return value;
}

/* Every monomial that the space holds: of degree N in all, or in each direction. */
TEST(gradient, is_exact_on_polynomials_of_its_degree_and_no_further)
{
  for (int shape = 0; shape < 4; ++shape)
    for (int degree = 1; degree <= BP_GRADIENT_DEGREE_MAX; ++degree) {
      const bp_space space = space_at(shape, degree);
      const int dim = bp_cell_dim(space.shape), nodes = bp_space_nodes(space);
      const bool is_simplex = bp_cell_is_simplex(space.shape);
      long double table[MOST * 64], node[MOST], point[MOST];
      bp_gradient_table(space, table);
      bp_gradient_nodes(space, node);
      bp_gradient_points(space, point);
      for (int n = 0; n < 216; ++n) {
        const int p[3] = {n % 6, n / 6 % 6, n / 36};
        int total = p[0] + p[1] + p[2], largest = p[0] > p[1] ? p[0] : p[1];
        largest = p[2] > largest ? p[2] : largest;
        const bool is_held = (is_simplex ? total : largest) <= degree;
        long double error = 0;
        if ((dim == 2 && p[2]) || (!is_held && total != degree + 1))
          continue;
        for (int q = 0; q < nodes; ++q)
          for (int d = 0; d < dim; ++d) {
            long double sum = -power(p, dim, point + q * dim, d);
            for (int m = 0; m < nodes; ++m)
              sum += table[(q * dim + d) * nodes + m] * power(p, dim, node + m * dim, -1);
            error = fmaxl(error, fabsl(sum));
          }
        CHECK(is_held ? error < 1e-15L : error > 1e-3L, "shape %d N=%d x^%d y^%d z^%d: %Lg", shape,
              degree, p[0], p[1], p[2], error);
      }
    }
}

/* The table of kernels is the same, rounded; of tensor products its one factor. */
TEST(gradient, gives_kernels_the_same_table)
{
  for (int shape = 0; shape < 4; ++shape) {
    const bp_space space = space_at(shape, 3);
    long double table[MOST * 64];
    double kernel[64 * 60];
    const int nodes = bp_space_nodes(space), count = bp_gradient_table_count(space);
    bp_gradient_table(space, table);
    bp_gradient_kernel_table(space, kernel);
    for (int n = 0; n < count && bp_cell_is_simplex(space.shape); ++n)
      CU_ASSERT(kernel[n] == (double)table[n]);
    if (bp_cell_is_simplex(space.shape))
      continue;
    for (int c = 0; c < 4; ++c) { /* constants have no slope */
      double sum = 0;
      for (int q = 0; q < 4; ++q)
        sum += kernel[c * 4 + q];
      CU_ASSERT(fabs(sum) < 8 * DBL_EPSILON);
    }
    CU_ASSERT(nodes == (shape == BP_QUADRILATERAL ? 16 : 64));
  }
}

/* Node numbers name places: a linear field of the place has, mapped to an element, a gradient that is the
 * same at all points; and elements together use every node of whole cells. */
TEST(gradient, numbers_nodes_that_elements_share_once)
{
  static const int64_t elements[] = {8, 12, 9, 24};
  static const int shapes[] = {BP_HEXAHEDRON, BP_TRIANGLE, BP_QUADRILATERAL, BP_TETRAHEDRON};
  for (int s = 0; s < 4; ++s)
    for (int degree = 1; degree <= BP_GRADIENT_DEGREE_MAX; ++degree) {
      const bp_grid grid = bp_grid_of((bp_cell)shapes[s], elements[s]);
      const int nodes = bp_cell_count(grid.shape, degree + 1);
      const int64_t count = bp_grid_nodes(&grid, degree);
      int *gather = bp_alloc((size_t)(elements[s] * nodes), sizeof *gather), wrong = 0, unused = 0;
      char *used = bp_alloc((size_t)count, 1);
      bp_grid_gather(&grid, degree, gather);
      for (int64_t n = 0; n < elements[s] * nodes; ++n) {
        wrong += gather[n] < 0 || gather[n] >= count;
        if (gather[n] >= 0 && gather[n] < count)
          used[gather[n]] = 1;
      }
      for (int64_t e = 0; e < elements[s]; ++e)
        for (int a = 0; a < nodes; ++a)
          for (int b = 0; b < a; ++b)
            wrong += gather[e * nodes + a] == gather[e * nodes + b];
      for (int64_t n = 0; n < count; ++n)
        unused += !used[n];
      CHECK(wrong == 0 && unused == 0, "shape %d N=%d: %d wrong, %d of %lld unused", shapes[s],
            degree, wrong, unused, (long long)count);
      bp_free(used);
      bp_free(gather);
    }
}

/* u = the coordinates of equally spaced places: with degree 1 the derivatives are halves of edges. */
TEST(gradient, differentiates_a_field_of_the_mesh)
{
  for (int row = 0; row < BP_GRADIENTS; ++row) {
    const bp_operator *op = &bp_operator_gradients[row];
    const bp_space space = bp_operator_space(op, 1);
    const int dim = bp_cell_dim(space.shape), fields = space.fields,
              split = bp_grid_split(space.shape);
    const bp_grid grid = bp_grid_of(space.shape, 4 * split);
    bp_problem *problem = NULL;
    bp_problem_random(op, space, 1, 4 * split, 1, &problem);
    const int64_t x = grid.cells[0] + 1, y = grid.cells[1] + 1, count = bp_problem_dofs(problem);
    CU_ASSERT_EQUAL(count, bp_grid_nodes(&grid, 1) * fields);
    double *u = bp_alloc((size_t)count, sizeof *u),
           *v = bp_alloc((size_t)bp_problem_outputs(problem), sizeof *v);
    for (int64_t n = 0; n < count; ++n) {
      const int64_t node = n / fields, at[3] = {node % x, node / x % y, node / x / y};
      u[n] = (double)(at[0] + 10 * at[1] + 100 * at[2] + 1000 * (n % fields) * at[0]);
    }
    bp_reference_apply(problem, 0, problem->elements, u, v);
    double worst = 0;
    for (int64_t n = 0; n < bp_problem_outputs(problem); ++n) {
      const int d = (int)(n % dim), f = (int)(n / dim % fields);
      const double slope[3] = {1 + 1000.0 * f, 10, 100};
      double near =
          INFINITY; /* of a tensor product along its axis; of a simplex along an edge of the cell */
      for (int set = 1; set < 8; ++set) {
        double sum = 0;
        for (int b = 0; b < 3; ++b)
          sum += set >> b & 1 ? slope[b] : 0;
        if (bp_cell_is_simplex(space.shape))
          near = fmin(near, fabs(v[n] - sum));
      }
      worst = fmax(worst, bp_cell_is_simplex(space.shape) ? near : fabs(v[n] - slope[d] / 2));
    }
    CHECK(worst < 1e-9, "%s: %g", op->name, worst);
    bp_free(u);
    bp_free(v);
    bp_problem_destroy(problem);
  }
}

/* Counted by hand. */
TEST(gradient, has_the_counts_worked_out_by_hand)
{
  const bp_operator *tet = bp_operator_find("gradient-tet"),
                    *hex = bp_operator_find("gradient-hex-vector");
  CU_ASSERT_FATAL(tet && hex && bp_operator_is_gradient(tet) && bp_operator_is_gradient(hex));
  CU_ASSERT_EQUAL(bp_operator_flops(tet, bp_operator_space(tet, 2)), 2 * 3 * 10 * 10);
  CU_ASSERT_EQUAL(bp_operator_outputs(tet, bp_operator_space(tet, 3)), 20 * 3);
  CU_ASSERT_EQUAL(bp_operator_outputs(hex, bp_operator_space(hex, 3)), 64 * 9);
  CU_ASSERT_EQUAL(bp_operator_flops(hex, bp_operator_space(hex, 1)),
                  3 * (2 * 2 + 3 * 2 + 3 * 2) * 16);
  CU_ASSERT_STRING_EQUAL(bp_operator_kernels(hex), "gradient");
  CU_ASSERT_PTR_EQUAL(bp_operator_of_kernels("gradient", 2), tet);
  CU_ASSERT_PTR_NULL(bp_operator_of_kernels("gradient", BP_GRADIENTS));
}

/* Where u is nearly the same at an element's nodes, derivatives are small, their rounding errors not. */
TEST(gradient, judges_small_derivatives_by_the_usual_size)
{
  enum { ELEMENTS = 64, FLAT = 5, NODES = 4, VALUES = 8 };
  bp_problem *problem = NULL;
  const bp_operator *op = bp_operator_find("gradient-quad");
  bp_problem_random(op, bp_operator_space(op, 1), 0, ELEMENTS, 1, &problem);
  double u[256], reference[ELEMENTS * VALUES], v[ELEMENTS * VALUES];
  int64_t where = 0;
  CU_ASSERT_FATAL(bp_problem_dofs(problem) <= 256);
  bp_fill(0, 1, problem, u);
  for (int n = 0; n < NODES; ++n)
    u[problem->gather[FLAT * NODES + n]] = 0.7 + 1e-4 * n;
  bp_gradient_reference(problem, 0, ELEMENTS, u, reference);
  memcpy(v, reference, sizeof v);
  v[FLAT * VALUES] += DBL_EPSILON;
  CU_ASSERT(fabs(reference[FLAT * VALUES]) < 1e-3);
  double error = bp_reference_error(problem, 0, ELEMENTS, v, reference, &where);
  CU_ASSERT(error > 0 && error <= bp_reference_tolerance(problem));
  CU_ASSERT_EQUAL(where, FLAT * VALUES);
  v[FLAT * VALUES] += 1e-13;
  CU_ASSERT(bp_reference_error(problem, 0, ELEMENTS, v, reference, &where) >
            bp_reference_tolerance(problem));
  bp_problem_destroy(problem);
}
