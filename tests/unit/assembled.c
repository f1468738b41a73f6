/* assembled.c -- the fused operators against matrices put together entry by entry from the weak
 * form: shape functions as products, gradients in space, no matrix and no factor of bp but the
 * rules' points. */
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "fem/reference.h"

/* l_a(x) of the points p, and its slope, from the definition. */
static long double lagrange(int n, const double *p, int a, long double x)
{
  long double value = 1;
  for (int b = 0; b < n; ++b)
    if (b != a)
      value *= (x - p[b]) / ((long double)p[a] - p[b]);
  return value;
}

static long double lagrange_slope(int n, const double *p, int a, long double x)
{
  long double sum = 0;
  for (int skip = 0; skip < n; ++skip) {
    long double term = 1;
    for (int b = 0; b < n && skip != a; ++b)
      if (b != a)
        term *= (b == skip ? 1 : x - p[b]) / ((long double)p[a] - p[b]);
    sum += skip == a ? 0 : term;
  }
  return sum;
}

/* Value and gradient, in (r, s, t), of shape function `a` = (k n + j) n + i of a tensor grid at r.
 */
typedef struct {
  long double value, slope[3];
} shape;

static shape shape_at(int n, const double *p, int a, const long double r[3])
{
  long double value[3], slope[3];
  int index[3] = {a % n, a / n % n, a / n / n};
  for (int d = 0; d < 3; ++d) {
    value[d] = lagrange(n, p, index[d], r[d]);
    slope[d] = lagrange_slope(n, p, index[d], r[d]);
  }
  return (shape){.value = value[0] * value[1] * value[2],
                 .slope = {slope[0] * value[1] * value[2], value[0] * slope[1] * value[2],
                           value[0] * value[1] * slope[2]}};
}

/* J[c][d] = dx_c/dr_d of element 0. */
static void jacobian(const bp_mesh *mesh, const long double r[3], long double J[3][3])
{
  int n = mesh->order + 1;
  double p[BP_MESH_ORDER_MAX + 1];
  for (int i = 0; i < n; ++i)
    p[i] = 2.0 * i / mesh->order - 1;
  memset(J, 0, 9 * sizeof J[0][0]);
  for (int a = 0; a < n * n * n; ++a) {
    shape s = shape_at(n, p, a, r);
    for (int c = 0; c < 3; ++c)
      for (int d = 0; d < 3; ++d)
        J[c][d] += s.slope[d] * mesh->x[3 * mesh->node[a] + c];
  }
}

static long double determinant(long double J[3][3])
{
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
         J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

/* Solves Jᵀ gradient = slope by Cramer's rule. */
static void to_space(long double J[3][3], const long double slope[3], long double gradient[3])
{
  long double det = determinant(J);
  for (int c = 0; c < 3; ++c) {
    long double replaced[3][3];
    memcpy(replaced, J, sizeof replaced);
    memcpy(replaced[c], slope, sizeof replaced[c]);
    gradient[c] = determinant(replaced) / det;
  }
}

/* Adds one quadrature point's share of  grad a . grad b + lambda a b  (or a b alone) to
 * matrix[a][b]. */
static void add_point(const bp_problem *problem, const bp_mesh *mesh, const int q[3],
                      long double *matrix)
{
  const bp_basis *basis = &problem->basis;
  enum { MOST = 64 };
  int nodes = basis->nq * basis->nq * basis->nq;
  long double r[3], J[3][3], value[MOST], gradient[MOST][3], weight = 1;
  for (int d = 0; d < 3; ++d) {
    r[d] = basis->point[q[d]];
    weight *= basis->weight[q[d]];
  }
  jacobian(mesh, r, J);
  weight *= determinant(J);
  for (int a = 0; a < nodes; ++a) {
    shape s = shape_at(basis->nq, basis->node, a, r);
    value[a] = s.value;
    to_space(J, s.slope, gradient[a]);
  }
  bool mass = problem->op->components == 1;
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b) {
      long double sum = (mass ? 1 : problem->lambda) * value[a] * value[b];
      for (int c = 0; c < 3 && !mass; ++c)
        sum += gradient[a][c] * gradient[b][c];
      matrix[a * nodes + b] += weight * sum;
    }
}

static void equals_its_matrix(const bp_operator *op, int degree, int order)
{
  static const int single[3] = {1, 1, 1};
  bp_mesh *mesh = test_box(single, order, test_bend);
  bp_problem *problem;
  CU_ASSERT_FATAL(bp_problem_create(op, bp_operator_space(op, degree), 1.25, mesh, &problem) ==
                  BP_OK);
  int nodes = (int)bp_problem_dofs(problem), nc = problem->basis.nc;
  long double *matrix = bp_alloc((size_t)(nodes * nodes), sizeof *matrix), scale = 0;
  for (int q = 0; q < nc * nc * nc; ++q)
    add_point(problem, mesh, (int[3]){q % nc, q / nc % nc, q / nc / nc}, matrix);
  for (int n = 0; n < nodes * nodes; ++n)
    scale = fmaxl(scale, fabsl(matrix[n]));
  double *unit = bp_alloc((size_t)nodes, sizeof *unit), *v = bp_alloc((size_t)nodes, sizeof *v);
  for (int b = 0; b < nodes; ++b) {
    unit[b] = 1;
    bp_reference_apply(problem, 0, 1, unit, v);
    unit[b] = 0;
    for (int a = 0; a < nodes; ++a)
      CHECK(fabsl(v[a] - matrix[a * nodes + b]) < 1e-14 * scale, "%s N=%d order %d: [%d][%d]",
            op->name, degree, order, a, b);
  }
  bp_free(unit);
  bp_free(v);
  bp_free(matrix);
  bp_problem_destroy(problem);
  test_box_destroy(mesh);
}

TEST(reference, equals_the_assembled_matrix)
{
  for (int o = 0; o < BP_OPERATORS; ++o)
    for (int degree = 1; degree <= 3; ++degree)
      for (int order = 1; order <= 2; ++order)
        equals_its_matrix(&bp_operators[o], degree, order);
}
