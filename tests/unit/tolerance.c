/* tolerance.c -- does the tolerance tell right from wrong? Right results in other orders of
 * summation must stay under a third of it, small planted errors must exceed it, at every degree. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "fem/reference.h"
#include <float.h>

enum { ELEMENTS = 8, POINTS_MAX = BP_POINTS_MAX * BP_POINTS_MAX * BP_POINTS_MAX };

/* The ways of adding up n products a[i sa] b[i sb]. */
typedef double adder(int n, const double *a, int sa, const double *b, int sb);

static double forward(int n, const double *a, int sa, const double *b, int sb)
{
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i * sa] * b[i * sb];
  return sum;
}

static double backward(int n, const double *a, int sa, const double *b, int sb)
{
  double sum = 0;
  for (int i = n - 1; i >= 0; --i)
    sum += a[i * sa] * b[i * sb];
  return sum;
}

static double fused(int n, const double *a, int sa, const double *b, int sb)
{
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum = fma(a[i * sa], b[i * sb], sum);
  return sum;
}

/* Sums and differences of the two ends, as kernels do that use the matrices' symmetry. */
static double split(int n, const double *a, int sa, const double *b, int sb)
{
  double even = 0, odd = 0;
  for (int i = 0; i < n / 2; ++i) {
    int j = n - 1 - i;
    even += 0.5 * (a[i * sa] + a[j * sa]) * (b[i * sb] + b[j * sb]);
    odd += 0.5 * (a[i * sa] - a[j * sa]) * (b[i * sb] - b[j * sb]);
  }
  if (n % 2)
    even += a[n / 2 * sa] * b[n / 2 * sb];
  return even + odd;
}

static const struct {
  const char *name;
  adder *add;
} adders[] = {{"forward", forward}, {"backward", backward}, {"fused", fused}, {"split", split}};

/* size[d] entries along direction d become `to`; m(b, a) = m[b * row + a * column]. */
static void contract(adder *add, int direction, int size[3], int to, const double *m, int row,
                     int column, const double *in, double *out)
{
  int from = size[direction], inner = 1, outer = 1;
  for (int d = 0; d < direction; ++d)
    inner *= size[d];
  for (int d = direction + 1; d < 3; ++d)
    outer *= size[d];
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < to; ++b)
      for (int n = 0; n < inner; ++n)
        out[(o * to + b) * inner + n] =
            add(from, m + b * row, column, in + o * from * inner + n, inner);
  size[direction] = to;
}

/* All three directions, t first: not the reference's order. */
static void contract_all(adder *add, int from, int to, const double *m, int row, int column,
                         const double *in, double *out)
{
  static double half[POINTS_MAX], whole[POINTS_MAX];
  int size[3] = {from, from, from};
  contract(add, 2, size, to, m, row, column, in, half);
  contract(add, 1, size, to, m, row, column, half, whole);
  contract(add, 0, size, to, m, row, column, whole, out);
}

static void stiffness(const bp_problem *p, adder *add, const double *f, double *u)
{
  static double gradient[3][POINTS_MAX], part[POINTS_MAX];
  static const int component[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  int nc = p->basis.nc, points = nc * nc * nc, size[3] = {nc, nc, nc};
  const double *D = p->basis.D;
  for (int d = 0; d < 3; ++d)
    contract(add, d, size, nc, D, nc, 1, u, gradient[d]);
  for (int q = 0; q < points; ++q) {
    double flux[3];
    for (int d = 0; d < 3; ++d) {
      double g[3] = {gradient[0][q], gradient[1][q], gradient[2][q]}, row[3];
      for (int c = 0; c < 3; ++c)
        row[c] = f[component[d][c] * points + q];
      flux[d] = add(3, row, 1, g, 1);
    }
    for (int d = 0; d < 3; ++d)
      gradient[d][q] = flux[d];
    u[q] *= p->lambda * f[6 * points + q];
  }
  for (int d = 0; d < 3; ++d) {
    contract(add, d, size, nc, D, 1, nc, gradient[d], part);
    for (int q = 0; q < points; ++q)
      u[q] += part[q];
  }
}

static void apply_in_doubles(const bp_problem *p, adder *add, const double *u, double *v)
{
  static double values[POINTS_MAX];
  int nq = p->basis.nq, nc = p->basis.nc, nodes = nq * nq * nq, points = nc * nc * nc;
  for (int e = 0; e < ELEMENTS; ++e, u += nodes, v += nodes) {
    const double *f = p->factors + e * p->op->components * points;
    contract_all(add, nq, nc, p->basis.I, nq, 1, u, values);
    for (int q = 0; q < points && p->op->components == 1; ++q)
      values[q] *= f[q];
    if (p->op->components > 1)
      stiffness(p, add, f, values);
    contract_all(add, nc, nq, p->basis.I, 1, nq, values, v);
  }
}

typedef struct {
  bp_problem *problem;
  double *u, *v, *reference;
} trial;

static trial trial_create(const bp_operator *op, int degree)
{
  trial t;
  bp_random random = bp_random_start(2);
  double lambda = degree * degree; /* D grows like N^2: so that W does not vanish behind it */
  bp_problem_random(op, bp_operator_space(op, degree), lambda, ELEMENTS, 1, &t.problem);
  size_t count = (size_t)bp_problem_dofs(t.problem);
  t.u = bp_alloc(count, sizeof(double));
  t.v = bp_alloc(count, sizeof(double));
  t.reference = bp_alloc(count, sizeof(double));
  for (size_t n = 0; n < count; ++n)
    t.u[n] = 2 * bp_random_unit(&random) - 1;
  bp_reference_apply(t.problem, 0, ELEMENTS, t.u, t.reference);
  return t;
}

static void trial_destroy(trial *t)
{
  bp_free(t->u);
  bp_free(t->v);
  bp_free(t->reference);
  bp_problem_destroy(t->problem);
}

static double error_over_tolerance(const trial *t)
{
  int64_t where;
  return bp_reference_error(t->problem, 0, ELEMENTS, t->v, t->reference, &where) /
         bp_reference_tolerance(t->problem);
}

static void for_each_trial(void (*check)(trial *t))
{
  for (int o = 0; o < BP_OPERATORS; ++o)
    for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree) {
      trial t = trial_create(&bp_operators[o], degree);
      check(&t);
      trial_destroy(&t);
    }
}

static void forgives_orders(trial *t)
{
  for (size_t a = 0; a < sizeof adders / sizeof *adders; ++a) {
    apply_in_doubles(t->problem, adders[a].add, t->u, t->v);
    CHECK(error_over_tolerance(t) < 1.0 / 3, "%s N=%d %s: %g", t->problem->op->name,
          t->problem->basis.degree, adders[a].name, error_over_tolerance(t));
  }
}

TEST(tolerance, forgives_every_order_of_summation)
{
  for_each_trial(forgives_orders);
}

/* The error of `count` numbers, `stride` apart, off by a relative 1e-10. Linear, so planted larger
 * where rounding would blur it. */
static double error_of_planted(trial *t, double *number, int count)
{
  const double planted = 1e-6;
  double old[POINTS_MAX];
  memcpy(old, number, (size_t)count * sizeof *old);
  for (int n = 0; n < count; ++n)
    number[n] *= 1 + planted;
  bp_reference_apply(t->problem, 0, ELEMENTS, t->u, t->v);
  memcpy(number, old, (size_t)count * sizeof *old);
  return error_over_tolerance(t) * 1e-10 / planted;
}

/* In each row the smallest entry, which is the hardest to see; the lower rows are mirror images.
 * The inner diagonal entries of D at Lobatto points are rounding errors of zero and do not count.
 */
static void check_entries(trial *t, char name, double *m, int rows, int columns)
{
  for (int b = 0; b < (rows + 1) / 2; ++b) {
    double *row = m + b * columns, *smallest = row + (b == 0);
    for (int a = 0; a < columns; ++a)
      if (fabs(row[a]) > 1e-10 && fabs(row[a]) < fabs(*smallest))
        smallest = row + a;
    double error = error_of_planted(t, smallest, 1);
    CHECK(error > 1, "%s N=%d %c[%d][%d]: %g", t->problem->op->name, t->problem->basis.degree, name,
          b, (int)(smallest - row), error);
  }
}

static void sees_matrix_entries(trial *t)
{
  bp_basis *b = &t->problem->basis;
  if (!b->collocated)
    check_entries(t, 'I', b->I, b->nc, b->nq);
  if (t->problem->op->components > 1)
    check_entries(t, 'D', b->D, b->nc, b->nc);
}

TEST(tolerance, sees_1e_10_in_any_matrix_entry)
{
  for_each_trial(sees_matrix_entries);
}

static void sees_components(trial *t)
{
  int nc = t->problem->basis.nc, points = nc * nc * nc;
  for (int c = 0; c < t->problem->op->components; ++c) {
    double error = error_of_planted(t, t->problem->factors + c * points, points);
    CHECK(error > 1, "%s N=%d component %d: %g", t->problem->op->name, t->problem->basis.degree, c,
          error);
  }
}

TEST(tolerance, sees_1e_10_in_any_component_of_one_element)
{
  for_each_trial(sees_components);
}

/* One factor of one point of one element is a drop in an ocean of a few thousand points. */
static void sees_single_factors(trial *t)
{
  bp_random random = bp_random_start(4);
  for (int n = 0; n < 20; ++n) {
    int64_t q = (int64_t)bp_random_below(&random, (uint64_t)bp_problem_factors_count(t->problem));
    double error = 1e4 * error_of_planted(t, t->problem->factors + q, 1);
    CHECK(error > 1, "%s N=%d factor %lld: %g", t->problem->op->name, t->problem->basis.degree,
          (long long)q, error);
  }
}

TEST(tolerance, sees_1e_6_in_any_single_factor)
{
  for_each_trial(sees_single_factors);
}

static void sees_swapped_nodes(trial *t)
{
  memcpy(t->v, t->reference, (size_t)bp_problem_dofs(t->problem) * sizeof *t->v);
  double first = t->v[0];
  t->v[0] = t->v[1];
  t->v[1] = first;
  CU_ASSERT(error_over_tolerance(t) > 1e6);
}

TEST(tolerance, sees_swapped_nodes)
{
  for_each_trial(sees_swapped_nodes);
}

TEST(tolerance, counts_what_is_not_a_number_as_infinitely_wrong)
{
  int64_t where;
  trial t = trial_create(bp_operator_find("bp3.5"), 2);
  size_t bytes = (size_t)bp_problem_dofs(t.problem) * sizeof *t.v;
  memcpy(t.v, t.reference, bytes);
  CU_ASSERT(bp_reference_error(t.problem, 0, ELEMENTS, t.v, t.reference, &where) == 0);
  t.v[27 * 1 + 3] += 1e-3;
  t.v[27 * 2 + 3] = NAN;
  CU_ASSERT(bp_reference_error(t.problem, 0, ELEMENTS, t.v, t.reference, &where) == INFINITY);
  CU_ASSERT(where == 27 * 2 + 3);
  t.v[27 * 2 + 3] = -INFINITY;
  CU_ASSERT(bp_reference_error(t.problem, 0, ELEMENTS, t.v, t.reference, &where) == INFINITY);
  double error = bp_reference_error(t.problem, 0, 2, t.v, t.reference, &where);
  CU_ASSERT(where == 27 * 1 + 3 && error > 1e-5 && error < 1);
  memset(t.reference, 0, bytes);
  memset(t.v, 0, bytes);
  CU_ASSERT(bp_reference_error(t.problem, 0, ELEMENTS, t.v, t.reference, &where) == 0);
  t.v[5] = 1e-300;
  CU_ASSERT(bp_reference_error(t.problem, 0, ELEMENTS, t.v, t.reference, &where) == INFINITY);
  trial_destroy(&t);
}

/* A u cancels entirely, so that v is nothing but rounding errors: wrong by its own measure, right by that of
 * what was added up. */
static void forgives_cancellation(trial *t)
{
  if (t->problem->op->components == 1)
    return;
  int64_t where, count = bp_problem_dofs(t->problem);
  double *size = bp_alloc((size_t)count, sizeof *size);
  t->problem->lambda = 0;
  for (int64_t n = 0; n < count; ++n)
    t->u[n] = -1;
  bp_reference_apply(t->problem, 0, ELEMENTS, t->u, t->reference);
  bp_reference_magnitude(t->problem, 0, ELEMENTS, t->u, size);
  apply_in_doubles(t->problem, backward, t->u, t->v);
  double error =
      bp_reference_error_to_scale(t->problem, 0, ELEMENTS, t->v, t->reference, size, &where);
  CHECK(error < bp_reference_tolerance(t->problem) / 3, "N=%d: %g", t->problem->basis.degree,
        error);
  t->v[1] += 1e-10 * size[1];
  error = bp_reference_error_to_scale(t->problem, 0, ELEMENTS, t->v, t->reference, size, &where);
  CU_ASSERT(error > bp_reference_tolerance(t->problem) && where == 1);
  bp_free(size);
}

TEST(tolerance, forgives_cancellation_by_the_scale_of_what_cancelled)
{
  for_each_trial(forgives_cancellation);
}
