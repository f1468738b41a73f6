/* reference.c -- the operators, one contraction per line of the formula, in extended precision. */
#include "fem/reference.h"

#include "base/memory.h"
#include <float.h>
#include <math.h>
#include <string.h>

typedef long double real;

enum { R, S, T, DIRECTIONS };

/* One thread's arrays, nc^3 each. */
typedef struct {
  real *u, *gradient[DIRECTIONS], *flux[DIRECTIONS], *half, *whole;
  real *memory;
} scratch;

static scratch scratch_create(const bp_basis *basis)
{
  size_t points = (size_t)basis->nc * (size_t)basis->nc * (size_t)basis->nc;
  scratch s = {.memory = bp_alloc(9 * points, sizeof(real))};
  real *next = s.memory;
  s.u = next;
  for (int d = 0; d < DIRECTIONS; ++d) {
    s.gradient[d] = next += points;
    s.flux[d] = next += points;
  }
  s.half = next += points;
  s.whole = next + points;
  return s;
}

/* A one-dimensional matrix, or its transpose: entry (b, a) is m[b * row + a * column]. */
typedef struct {
  const double *m;
  int to, from, row, column;
} matrix;

static matrix matrix_I(const bp_basis *b)
{
  return (matrix){.m = b->I, .to = b->nc, .from = b->nq, .row = b->nq, .column = 1};
}

static matrix matrix_D(const bp_basis *b)
{
  return (matrix){.m = b->D, .to = b->nc, .from = b->nc, .row = b->nc, .column = 1};
}

static matrix transposed(matrix m)
{
  return (matrix){.m = m.m, .to = m.from, .from = m.to, .row = m.column, .column = m.row};
}

/* out[o][b][n] = sum over a of m(b, a) in[o][a][n]: along r, n is nothing and o is k and j, and so
 * on. */
static void contract(matrix m, int outer, int inner, const real *in, real *out)
{
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < m.to; ++b)
      for (int n = 0; n < inner; ++n) {
        real sum = 0;
        for (int a = 0; a < m.from; ++a)
          sum += m.m[b * m.row + a * m.column] * in[(o * m.from + a) * inner + n];
        out[(o * m.to + b) * inner + n] = sum;
      }
}

/* m along one direction of a cube. */
static void contract_along(int direction, matrix m, const real *in, real *out)
{
  int n = m.from, outer[DIRECTIONS] = {n * n, n, 1}, inner[DIRECTIONS] = {1, n, n * n};
  contract(m, outer[direction], inner[direction], in, out);
}

/* out = (I x I x I) in, or the transpose; I is the identity where the nodes are the points. */
static void interpolate(const bp_basis *basis, matrix m, scratch *s, const real *in, real *out)
{
  if (basis->collocated) {
    memcpy(out, in, (size_t)(m.from * m.from * m.from) * sizeof *out);
    return;
  }
  contract(m, m.from * m.from, 1, in, s->half);
  contract(m, m.from, m.to, s->half, s->whole);
  contract(m, 1, m.to * m.to, s->whole, out);
}

/* flux = G gradient, and u becomes lambda W u; f is factors[c][k][j][i]. */
static void apply_metric(const double *f, bool has_mass, double lambda, int points, scratch *s)
{
  const double *rr = f, *rs = rr + points, *rt = rs + points, *ss = rt + points, *st = ss + points,
               *tt = st + points, *w = tt + points;
  for (int p = 0; p < points; ++p) {
    real r = s->gradient[R][p], q = s->gradient[S][p], t = s->gradient[T][p];
    s->flux[R][p] = rr[p] * r + rs[p] * q + rt[p] * t;
    s->flux[S][p] = rs[p] * r + ss[p] * q + st[p] * t;
    s->flux[T][p] = rt[p] * r + st[p] * q + tt[p] * t;
    s->u[p] = has_mass ? (real)lambda * w[p] * s->u[p] : 0;
  }
}

/* u becomes (Dt G D + lambda W) u. */
static void apply_screened_poisson(const bp_problem *problem, const double *f, int points,
                                   scratch *s)
{
  matrix D = matrix_D(&problem->basis);
  for (int d = 0; d < DIRECTIONS; ++d)
    contract_along(d, D, s->u, s->gradient[d]);
  apply_metric(f, problem->op->components == 7, problem->lambda, points, s);
  for (int d = 0; d < DIRECTIONS; ++d) {
    contract_along(d, transposed(D), s->flux[d], s->whole);
    for (int p = 0; p < points; ++p)
      s->u[p] += s->whole[p];
  }
}

/* u becomes W u. */
static void apply_mass(const double *f, int points, scratch *s)
{
  for (int p = 0; p < points; ++p)
    s->u[p] *= f[p];
}

/* One element's f, u and v. */
static void apply_element(const bp_problem *problem, scratch *s, const double *f, const double *u,
                          double *v)
{
  const bp_basis *basis = &problem->basis;
  int nodes = basis->nq * basis->nq * basis->nq, points = basis->nc * basis->nc * basis->nc;
  real *nodal = s->gradient[R];
  for (int n = 0; n < nodes; ++n)
    nodal[n] = u[n];
  interpolate(basis, matrix_I(basis), s, nodal, s->u);
  if (problem->op->components == 1)
    apply_mass(f, points, s);
  else
    apply_screened_poisson(problem, f, points, s);
  interpolate(basis, transposed(matrix_I(basis)), s, s->u, nodal);
  for (int n = 0; n < nodes; ++n)
    v[n] = (double)nodal[n];
}

/* Doubles of one element. */
static int64_t nodes_of(const bp_problem *problem)
{
  int64_t n = problem->basis.nq;
  return n * n * n;
}

static int64_t factors_of(const bp_problem *problem)
{
  int64_t n = problem->basis.nc;
  return problem->op->components * n * n * n;
}

void bp_reference_apply(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                        double *v)
{
  int64_t nodes = nodes_of(problem), factors = factors_of(problem);
#pragma omp parallel
  {
    scratch s = scratch_create(&problem->basis);
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e)
      apply_element(problem, &s, problem->factors + e * factors, u + e * nodes, v + e * nodes);
    bp_free(s.memory);
  }
}

static void make_positive(int64_t count, const double *in, double *out)
{
  for (int64_t n = 0; n < count; ++n)
    out[n] = fabs(in[n]);
}

void bp_reference_magnitude(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                            double *w)
{
  int64_t nodes = nodes_of(problem), factors = factors_of(problem);
  bp_problem positive = *problem;
  make_positive(BP_POINTS_MAX * BP_POINTS_MAX, problem->basis.I, positive.basis.I);
  make_positive(BP_POINTS_MAX * BP_POINTS_MAX, problem->basis.D, positive.basis.D);
#pragma omp parallel
  {
    scratch s = scratch_create(&problem->basis);
    double *f = bp_alloc((size_t)(factors + nodes), sizeof *f), *input = f + factors;
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e) {
      make_positive(factors, problem->factors + e * factors, f);
      make_positive(nodes, u + e * nodes, input);
      apply_element(&positive, &s, f, input, w + e * nodes);
    }
    bp_free(f);
    bp_free(s.memory);
  }
}

/* max|v - reference| / max|scale|, and the node where it is; what is not finite is infinitely wrong. */
static double element_error(int64_t nodes, const double *v, const double *reference,
                            const double *scale, int64_t *where)
{
  double difference = 0, size = 0;
  *where = 0;
  for (int64_t n = 0; n < nodes; ++n) {
    double d = fabs(v[n] - reference[n]);
    size = fmax(size, fabs(scale[n]));
    if (d <= difference)
      continue;
    *where = n;
    if (!isfinite(d))
      return INFINITY;
    difference = d;
  }
  return difference == 0 ? 0 : difference / size;
}

double bp_reference_error_to_scale(const bp_problem *problem, int64_t first, int64_t last,
                                   const double *v, const double *reference, const double *scale,
                                   int64_t *where)
{
  int64_t nodes = nodes_of(problem);
  double largest = 0;
  *where = first * nodes;
  for (int64_t e = first; e < last; ++e) {
    int64_t n = e * nodes, at;
    double error = element_error(nodes, v + n, reference + n, scale + n, &at);
    if (error > largest) {
      largest = error;
      *where = n + at;
    }
  }
  return largest;
}

double bp_reference_error(const bp_problem *problem, int64_t first, int64_t last, const double *v,
                          const double *reference, int64_t *where)
{
  return bp_reference_error_to_scale(problem, first, last, v, reference, reference, where);
}

/* Measured over 2 million unknowns at every degree: no order of summation, with or without FMA,
 * whole or split into even and odd halves, is off by more than 8 eps in this norm, since rounding
 * errors do not conspire: six to twelve short sums add up like the square root of their number.
 * Three times that, and more for longer sums, still sees 1e-10 in any matrix entry (170 eps and
 * more). */
double bp_reference_tolerance(const bp_problem *problem)
{
  return DBL_EPSILON * (24 + 2 * problem->basis.nc);
}
