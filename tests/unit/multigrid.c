/* multigrid.c -- tests of what a cycle is made of: coefficients, degrees, boxes, matrices. */
#include "test.h"

#include "base/memory.h"
#include "mesh/mesh.h"
#include "solve/multigrid.h"
#include "solve/schwarz.h"
#include "solve/sparse.h"
#include <math.h>
#include <string.h>

/* Lottes 2022, as nekRS and PETSc have them. */
TEST(multigrid, has_the_published_optimal_steps)
{
  static const double published[6][6] = {
      {1.125},
      {1.02387287570313, 1.26408905371086},
      {1.00842544782028, 1.08867839208731, 1.33753125909618},
      {1.00391310427285, 1.04035811188593, 1.14863498546255, 1.38268869241001},
      {1.00212930146165, 1.02173711549261, 1.07872433192603, 1.19810065292663, 1.41322542791682},
      {1.00128517255940, 1.01304293035233, 1.04678215124113, 1.11616489419676, 1.23829020218445,
       1.43524297106745}};
  for (int m = 1; m <= 6; ++m) {
    double beta[BP_CHEBYSHEV_MAX];
    bp_chebyshev_optimal(m, beta);
    for (int k = 0; k < m; ++k)
      CU_ASSERT_DOUBLE_EQUAL(beta[k], published[m - 1][k], 1e-13);
  }
}

/* At the largest eigenvalue the residual after k steps is (-1)^k / (2 k + 1) of the first. */
TEST(multigrid, smooths_by_polynomials_of_the_fourth_kind)
{
  const double largest = 2;
  const bp_chebyshev c = bp_chebyshev_of(BP_CHEBYSHEV_MAX, largest);
  double r = 1, d = 0;
  for (int k = 0; k < BP_CHEBYSHEV_MAX; ++k) {
    d = (k ? c.keep[k] * d : 0) + c.gain[k] * r;
    r -= largest * d;
    CU_ASSERT_DOUBLE_EQUAL(r * (k % 2 ? 1 : -1), 1.0 / (2 * k + 3), 1e-13);
  }
}

/* At both ends of the interval the residual is 1 / T_m at zero, the least that any polynomial leaves. */
TEST(multigrid, smooths_by_polynomials_of_the_first_kind)
{
  const double least = 0.5, largest = 2, sigma = (largest + least) / (largest - least);
  for (int m = 1; m <= BP_CHEBYSHEV_MAX; ++m) {
    const bp_chebyshev c = bp_chebyshev_first(m, least, largest);
    for (int end = 0; end < 2; ++end) {
      const double a = end ? largest : least;
      double r = 1, d = 0;
      for (int k = 0; k < m; ++k) {
        d = (k ? c.keep[k] * d : 0) + c.gain[k] * r;
        r -= a * d;
      }
      CU_ASSERT_DOUBLE_EQUAL(fabs(r), 1 / cosh(m * acosh(sigma)), 1e-13);
      CU_ASSERT(c.degree == m && c.step[m - 1] == 1);
    }
  }
}

/* Conjugate gradients on a diagonal of three: after three steps they know all eigenvalues. */
TEST(multigrid, finds_the_largest_eigenvalue)
{
  const double a[3] = {1, 2, 5};
  double r[3] = {1, 1, 1}, p[3] = {0}, alpha[3], beta[3] = {0}, rr = 3;
  for (int k = 0; k < 3; ++k) {
    double pap = 0, before = rr;
    for (int n = 0; n < 3; ++n) {
      p[n] = r[n] + (k ? beta[k - 1] * p[n] : 0);
      pap += p[n] * a[n] * p[n];
    }
    alpha[k] = rr / pap;
    rr = 0;
    for (int n = 0; n < 3; ++n) {
      r[n] -= alpha[k] * a[n] * p[n];
      rr += r[n] * r[n];
    }
    beta[k] = rr / before;
  }
  CU_ASSERT_DOUBLE_EQUAL(bp_lanczos_largest(3, alpha, beta), 5, 1e-12);
}

TEST(multigrid, wants_degrees_that_fall_to_1)
{
  int degrees[BP_MULTIGRID_LEVELS], count;
  CU_ASSERT(!bp_multigrid_levels("auto", 7, degrees, &count) && count == 4);
  CU_ASSERT(degrees[0] == 7 && degrees[1] == 4 && degrees[2] == 2 && degrees[3] == 1);
  CU_ASSERT(!bp_multigrid_levels("auto", 1, degrees, &count) && count == 1 && degrees[0] == 1);
  CU_ASSERT(!bp_multigrid_levels("15-7-1", 15, degrees, &count) && count == 3 && degrees[1] == 7);
  static const char *const bad[] = {"",       "7",     "7-3", "5-3-1", "7-7-1", "7-3-4-1",
                                    "7-3-1-", "7,3,1", "7-0", "7--1",  "7-1-1", "x"};
  for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n)
    CU_ASSERT(bp_multigrid_levels(bad[n], 7, degrees, &count) == BP_BAD_INPUT);
}

/* One element that is a box, fixed all around: S is the inverse of A. */
TEST(multigrid, inverts_a_box_exactly)
{
  bp_mesh *mesh;
  bp_system *system;
  CU_ASSERT_FATAL(!bp_mesh_box(1, 1, 1, 0, &mesh));
  for (int64_t n = 0; n < mesh->nodes; ++n) {
    mesh->x[3 * n] *= 2;
    mesh->x[3 * n + 2] *= 0.3;
  }
  const bp_bake_off *row = bp_bake_off_find("bp5");
  const bp_system_options options = {.row = row, .space = bp_bake_off_space(row, 6), .lambda = 0.7};
  CU_ASSERT_FATAL(!bp_system_create(options, mesh, &system));
  for (int layer = 0; layer < 2; ++layer) {
    bp_schwarz *schwarz;
    CU_ASSERT_FATAL(!bp_schwarz_create(system, layer, &schwarz));
    const int64_t count = system->unknowns->count;
    double *u = bp_alloc((size_t)count, sizeof *u), *v = bp_alloc((size_t)count, sizeof *v),
           *w = bp_alloc((size_t)count, sizeof *w);
    for (int64_t n = 0; n < system->unknowns->inner; ++n)
      u[n] = sin((double)n);
    bp_system_apply(system, u, v);
    bp_schwarz_apply(system, schwarz, v, w);
    for (int64_t n = 0; n < count; ++n)
      CU_ASSERT_DOUBLE_EQUAL(w[n], u[n], 1e-11);
    bp_free(u);
    bp_free(v);
    bp_free(w);
    bp_schwarz_destroy(schwarz);
  }
  bp_system_destroy(system);
  bp_mesh_destroy(mesh);
}

/* A chain of springs whose ends are held. */
static bp_sparse chain(int rows)
{
  bp_sparse a = {rows, rows, bp_alloc((size_t)rows + 1, sizeof(int)), NULL, NULL};
  a.column = bp_alloc(3 * (size_t)rows, sizeof *a.column);
  a.value = bp_alloc(3 * (size_t)rows, sizeof *a.value);
  for (int n = 0; n < rows; ++n) {
    a.starts[n + 1] = a.starts[n];
    for (int m = n - 1; m <= n + 1; ++m)
      if (m >= 0 && m < rows) {
        a.column[a.starts[n + 1]] = m;
        a.value[a.starts[n + 1]++] = m == n ? 2 : -1;
      }
  }
  return a;
}

/* More than a block of rows, and no multiple. */
TEST(multigrid, inverts_the_last_matrix)
{
  enum { ROWS = 101 };
  bp_sparse a = chain(ROWS);
  double *inverse = bp_alloc((size_t)ROWS * ROWS, sizeof *inverse);
  bp_sparse_inverse(&a, inverse);
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < ROWS; ++j) {
      const double low = fmin(i, j) + 1, high = ROWS - fmax(i, j);
      CU_ASSERT_DOUBLE_EQUAL(inverse[i * ROWS + j], low * high / (ROWS + 1), 1e-10);
    }
  bp_free(inverse);
  bp_sparse_destroy(&a);
}

/* Inside the chain P leaves constants what they are; few rows are left. */
TEST(multigrid, aggregates_keep_constants)
{
  enum { ROWS = 60 };
  bp_sparse a = chain(ROWS), p = bp_sparse_aggregation(&a, 0.08, 2), r = bp_sparse_transpose(&p),
            half = bp_sparse_product(&a, &p), coarse = bp_sparse_product(&r, &half);
  CU_ASSERT(p.columns >= ROWS / 4 && p.columns <= ROWS / 2);
  CU_ASSERT(coarse.rows == p.columns && coarse.columns == p.columns);
  for (int n = 1; n < ROWS - 1; ++n) {
    double sum = 0;
    for (int i = p.starts[n]; i < p.starts[n + 1]; ++i)
      sum += p.value[i];
    CU_ASSERT_DOUBLE_EQUAL(sum, 1, 1e-14);
  }
  bp_sparse_destroy(&a);
  bp_sparse_destroy(&p);
  bp_sparse_destroy(&r);
  bp_sparse_destroy(&half);
  bp_sparse_destroy(&coarse);
}
