/* basis.c -- tests of the one-dimensional matrices. */
#include "space.h"
#include "test.h"

#include "fem/basis.h"
#include <float.h>

static void for_each_basis(void (*check)(const bp_basis *b))
{
  for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree)
    for (int collocated = 0; collocated < 2; ++collocated) {
      bp_basis b;
      bp_basis_create(&b, space_of(collocated ? "bp3.5" : "bp3.0", degree));
      check(&b);
    }
}

/* Largest over a few polynomials x^d, d <= degree: how far m maps them from `expected` of them. */
static double worst_on_monomials(int rows, int columns, const double *m, const double *from,
                                 const double *to, bool derivative)
{
  double worst = 0;
  for (int d = 0; d < columns; ++d)
    for (int b = 0; b < rows; ++b) {
      long double sum = 0, expected = derivative ? d * powl(to[b], d - 1 + !d) : powl(to[b], d);
      for (int a = 0; a < columns; ++a)
        sum += m[b * columns + a] * powl(from[a], d);
      worst = fmax(worst, (double)fabsl(sum - expected));
    }
  return worst;
}

static void has_its_shape(const bp_basis *b)
{
  CU_ASSERT(b->nq == b->degree + 1);
  CU_ASSERT(b->nc == b->degree + (b->collocated ? 1 : 2));
  for (int c = 0; b->collocated && c < b->nc; ++c) {
    CU_ASSERT(b->point[c] == b->node[c]);
    for (int q = 0; q < b->nq; ++q)
      CU_ASSERT(b->I[c * b->nq + q] == (c == q));
  }
}

TEST(basis, has_its_shape_and_is_the_identity_where_collocated)
{
  for_each_basis(has_its_shape);
}

static void reproduces_polynomials(const bp_basis *b)
{
  double error = worst_on_monomials(b->nc, b->nq, b->I, b->node, b->point, false);
  CHECK(error < 8 * DBL_EPSILON, "N=%d: I is off by %g", b->degree, error);
  error = worst_on_monomials(b->nc, b->nc, b->D, b->point, b->point, true);
  CHECK(error < 4 * DBL_EPSILON * b->nc * b->nc, "N=%d: D is off by %g", b->degree, error);
}

TEST(basis, interpolates_and_differentiates_polynomials_exactly)
{
  for_each_basis(reproduces_polynomials);
}

static void sums_rows(const bp_basis *b)
{
  for (int c = 0; c < b->nc; ++c) {
    long double one = 0, zero = 0, largest = 0;
    for (int q = 0; q < b->nq; ++q)
      one += b->I[c * b->nq + q];
    for (int a = 0; a < b->nc; ++a) {
      zero += b->D[c * b->nc + a];
      largest = fmaxl(largest, fabsl(b->D[c * b->nc + a]));
    }
    CHECK(fabsl(one - 1) < 2 * DBL_EPSILON, "N=%d row %d of I: 1%+Lg", b->degree, c, one - 1);
    CHECK(fabsl(zero) <= DBL_EPSILON / 2 * largest, "N=%d row %d of D: %Lg", b->degree, c, zero);
  }
}

TEST(basis, has_rows_of_I_with_sum_one_and_rows_of_D_with_sum_zero)
{
  for_each_basis(sums_rows);
}

static void is_symmetric(const bp_basis *b)
{
  int nc = b->nc, nq = b->nq;
  for (int c = 0; c < nc; ++c) {
    for (int q = 0; q < nq; ++q)
      CU_ASSERT(b->I[c * nq + q] == b->I[(nc - 1 - c) * nq + nq - 1 - q]);
    for (int a = 0; a < nc; ++a)
      CU_ASSERT(b->D[c * nc + a] == -b->D[(nc - 1 - c) * nc + nc - 1 - a]);
  }
}

TEST(basis, is_symmetric_to_the_last_bit)
{
  for_each_basis(is_symmetric);
}

TEST(basis, has_the_entries_worked_out_by_hand)
{
  static const double D2[9] = {-1.5, 2, -0.5, -0.5, 0, 0.5, 0.5, -2, 1.5};
  bp_basis b;
  bp_basis_create(&b, space_of("bp3.5", 2));
  for (int n = 0; n < 9; ++n)
    CHECK(b.D[n] == D2[n], "D[%d] = %.17g", n, b.D[n]);
  bp_basis_create(&b, space_of("bp3.0", 1));
  double near = (1 + sqrt(0.6)) / 2, far = (1 - sqrt(0.6)) / 2;
  double I1[6] = {near, far, 0.5, 0.5, far, near};
  for (int n = 0; n < 6; ++n)
    CHECK(fabs(b.I[n] - I1[n]) < DBL_EPSILON, "I[%d] = %.17g", n, b.I[n]);
}

TEST(basis, holds_at_nodes_and_next_to_them)
{
  double from[] = {-1, -0.25, 0.5, 1}, m[16];
  double to[] = {-0.25, nextafter(-0.25, 1), 0.5 - 1e-9, 1};
  bp_basis_interpolate(4, from, 4, to, m);
  CU_ASSERT(m[0] == 0 && m[1] == 1 && m[2] == 0 && m[3] == 0 && m[15] == 1);
  CU_ASSERT(worst_on_monomials(4, 4, m, from, to, false) < 4 * DBL_EPSILON);
  bp_basis_differentiate(4, from, 4, to, m);
  CU_ASSERT(worst_on_monomials(4, 4, m, from, to, true) < 16 * DBL_EPSILON);
}
