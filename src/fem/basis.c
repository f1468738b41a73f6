/* basis.c -- interpolation and differentiation matrices by barycentric formulas, in extended
 * precision, with the symmetries of the points made exact. */
#include "fem/basis.h"

#include "base/status.h"
#include <string.h>

typedef struct {
  int count;
  const double *x;
  long double weight[BP_POINTS_MAX]; /* 1 / prod (x_a - x_b) */
} nodes;

static nodes nodes_create(int count, const double *x)
{
  nodes n = {.count = count, .x = x};
  for (int a = 0; a < count; ++a) {
    long double product = 1;
    for (int b = 0; b < count; ++b)
      product *= b == a ? 1 : (long double)x[a] - x[b];
    n.weight[a] = 1 / product;
  }
  return n;
}

/* values[a] = l_a(x) = l(x) w_a / (x - x_a), with l(x) the product of all x - x_b. */
static void lagrange_at(const nodes *n, double x, long double *values)
{
  long double product = 1;
  int at_node = -1;
  for (int a = 0; a < n->count; ++a) {
    product *= (long double)x - n->x[a];
    if (x == n->x[a])
      at_node = a;
  }
  for (int a = 0; a < n->count; ++a)
    values[a] = at_node >= 0 ? a == at_node : product * n->weight[a] / ((long double)x - n->x[a]);
}

/* slopes[a] = l_a'(x_b); the diagonal is what makes constants have no slope. */
static void lagrange_slopes_at_node(const nodes *n, int b, long double *slopes)
{
  slopes[b] = 0;
  for (int a = 0; a < n->count; ++a)
    if (a != b) {
      slopes[a] = n->weight[a] / n->weight[b] / ((long double)n->x[b] - n->x[a]);
      slopes[b] -= slopes[a];
    }
}

void bp_basis_interpolate(int from, const double *from_points, int to, const double *to_points,
                          double *m)
{
  long double values[BP_POINTS_MAX] = {0};
  nodes n = nodes_create(from, from_points);
  for (int b = 0; b < to; ++b) {
    lagrange_at(&n, to_points[b], values);
    for (int a = 0; a < from; ++a)
      m[b * from + a] = (double)values[a];
  }
}

/* A slope is a polynomial too: slopes at the nodes, interpolated. No point needs special care then.
 */
void bp_basis_differentiate(int from, const double *from_points, int to, const double *to_points,
                            double *m)
{
  long double values[BP_POINTS_MAX] = {0}, slopes[BP_POINTS_MAX][BP_POINTS_MAX] = {{0}};
  nodes n = nodes_create(from, from_points);
  for (int b = 0; b < from; ++b)
    lagrange_slopes_at_node(&n, b, slopes[b]);
  for (int c = 0; c < to; ++c) {
    lagrange_at(&n, to_points[c], values);
    for (int a = 0; a < from; ++a) {
      long double sum = 0;
      for (int b = 0; b < from; ++b)
        sum += values[b] * slopes[b][a];
      m[c * from + a] = (double)sum;
    }
  }
}

/* m[rows-1-b][columns-1-a] = sign * m[b][a], exactly. */
static void mirror(int rows, int columns, double sign, double *m)
{
  int count = rows * columns;
  for (int n = 0; n < count / 2; ++n)
    m[count - 1 - n] = sign * m[n];
  if (count % 2 && sign < 0)
    m[count / 2] = 0;
}

/* Rounding spoiled the sum of each row; the diagonal, its largest entry or nearly so, repairs it.
 */
static void make_rows_vanish(int n, double *d)
{
  for (int b = 0; b < n; ++b) {
    long double sum = 0;
    for (int a = 0; a < n; ++a)
      sum += a == b ? 0 : d[b * n + a];
    d[b * n + b] = (double)-sum;
  }
}

void bp_basis_create(bp_basis *basis, bp_space space)
{
  BP_ASSERT(space.degree >= 1 && space.degree <= BP_DEGREE_MAX);
  BP_ASSERT(space.points >= 1 && space.points <= BP_POINTS_MAX);
  double unused[BP_POINTS_MAX];
  memset(basis, 0, sizeof *basis);
  basis->degree = space.degree;
  basis->collocated = bp_space_is_collocated(space);
  basis->nq = space.degree + 1;
  basis->nc = space.points;
  bp_quadrature_lobatto(basis->nq, basis->node, unused);
  if (space.rule == BP_LOBATTO)
    bp_quadrature_lobatto(basis->nc, basis->point, basis->weight);
  else
    bp_quadrature_gauss(basis->nc, basis->point, basis->weight);
  bp_basis_interpolate(basis->nq, basis->node, basis->nc, basis->point, basis->I);
  bp_basis_differentiate(basis->nc, basis->point, basis->nc, basis->point, basis->D);
  mirror(basis->nc, basis->nq, 1, basis->I);
  make_rows_vanish(basis->nc, basis->D);
  mirror(basis->nc, basis->nc, -1, basis->D);
}
