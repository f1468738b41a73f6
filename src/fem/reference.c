/* reference.c -- the operators, one contraction per line of the formula, in extended precision. */
#include "fem/reference.h"

#include "base/memory.h"
#include "fem/gradient.h"
#include "fem/tensor.h"
#include <float.h>
#include <math.h>
#include <string.h>

typedef long double real;

enum { R, S, T, DIRECTIONS };

/* One thread's arrays, of the nodes or the points. */
typedef struct {
  real *nodal, *u, *gradient[DIRECTIONS], *flux[DIRECTIONS], *rest;
  real *memory;
} scratch;

static scratch scratch_create(const bp_basis *basis)
{
  size_t n = (size_t)(basis->nq > basis->nc ? basis->nq : basis->nc), points = n * n * n;
  scratch s = {.memory = bp_alloc(10 * points, sizeof(real))};
  s.nodal = s.memory;
  s.u = s.nodal + points;
  for (int d = 0; d < DIRECTIONS; ++d) {
    s.gradient[d] = s.u + (size_t)(1 + d) * points;
    s.flux[d] = s.u + (size_t)(4 + d) * points;
  }
  s.rest = s.u + 7 * points; /* two of them, for products */
  return s;
}

/* u = (I x I x I) nodal; I is the identity where the nodes are the points. */
static void interpolate(const bp_basis *b, scratch *s, int nodes)
{
  const bp_tensor I = {b->nc, b->nq, b->I, b->I, b->I};
  if (b->collocated)
    memcpy(s->u, s->nodal, (size_t)nodes * sizeof *s->u);
  else
    bp_tensor_apply(&I, s->nodal, s->rest, s->u);
}

/* nodal = the transpose of that on u. */
static void interpolate_back(const bp_basis *b, scratch *s, int nodes)
{
  const bp_tensor I = {b->nc, b->nq, b->I, b->I, b->I};
  memset(s->nodal, 0, (size_t)nodes * sizeof *s->nodal); /* the product is added */
  if (b->collocated)
    memcpy(s->nodal, s->u, (size_t)nodes * sizeof *s->u);
  else
    bp_tensor_add_transposed(&I, s->u, s->rest, s->nodal);
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
  const bp_basis *b = &problem->basis;
  for (int d = 0; d < DIRECTIONS; ++d)
    bp_tensor_along(d, b->nc, b->D, false, s->u, s->gradient[d]);
  apply_metric(f, problem->op->components == 7, problem->lambda, points, s);
  for (int d = 0; d < DIRECTIONS; ++d)
    bp_tensor_along(d, b->nc, b->D, true, s->flux[d], s->u);
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
  for (int n = 0; n < nodes; ++n)
    s->nodal[n] = u[n];
  interpolate(basis, s, nodes);
  if (problem->op->components == 1)
    apply_mass(f, points, s);
  else
    apply_screened_poisson(problem, f, points, s);
  interpolate_back(basis, s, nodes);
  for (int n = 0; n < nodes; ++n)
    v[n] = (double)s->nodal[n];
}

/* Doubles of one element: of v, of the factors. */
static int64_t nodes_of(const bp_problem *problem)
{
  return bp_operator_outputs(problem->op, problem->space);
}

static int64_t factors_of(const bp_problem *problem)
{
  int64_t n = problem->basis.nc;
  return problem->op->components * n * n * n;
}

void bp_reference_apply(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                        double *v)
{
  int64_t nodes = nodes_of(problem);
  if (problem->op->own)
    problem->op->own->reference(problem, first, last, u, v);
  else
    bp_reference_apply_part(problem, first, last, u + first * nodes, v + first * nodes);
}

void bp_reference_apply_part(const bp_problem *problem, int64_t first, int64_t last,
                             const double *u, double *v)
{
  int64_t nodes = nodes_of(problem);
#pragma omp parallel
  {
    scratch s = scratch_create(&problem->basis);
    double *buffer = bp_alloc((size_t)bp_problem_buffer(problem), sizeof *buffer);
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e)
      apply_element(problem, &s, bp_problem_element(problem, e, buffer), u + (e - first) * nodes,
                    v + (e - first) * nodes);
    bp_free(buffer);
    bp_free(s.memory);
  }
}

static void make_positive(int64_t count, const double *in, double *out)
{
  for (int64_t n = 0; n < count; ++n)
    out[n] = fabs(in[n]);
}

/* Of what is no sum factorisation. */
static void shared_magnitude(const bp_problem *problem, int64_t first, int64_t last,
                             const double *u, double *w)
{
  const int64_t count = bp_problem_dofs(problem);
  double *input = bp_alloc_array((size_t)count, sizeof *input);
  make_positive(count, u, input);
  if (problem->gather)
    bp_gradient_magnitude(problem, first, last, input, w);
  else
    bp_reference_apply(problem, first, last, input, w);
  bp_free(input);
}

void bp_reference_magnitude(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                            double *w)
{
  int64_t nodes = nodes_of(problem), factors = factors_of(problem);
  bp_problem positive = *problem;
  if (factors == 0) {
    shared_magnitude(problem, first, last, u, w);
    return;
  }
  make_positive(BP_POINTS_MAX * BP_POINTS_MAX, problem->basis.I, positive.basis.I);
  make_positive(BP_POINTS_MAX * BP_POINTS_MAX, problem->basis.D, positive.basis.D);
#pragma omp parallel
  {
    scratch s = scratch_create(&problem->basis);
    double *f = bp_alloc((size_t)(factors + nodes + bp_problem_buffer(problem)), sizeof *f);
    double *input = f + factors, *buffer = input + nodes;
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e) {
      make_positive(factors, bp_problem_element(problem, e, buffer), f);
      make_positive(nodes, u + e * nodes, input);
      apply_element(&positive, &s, f, input, w + e * nodes);
    }
    bp_free(f);
    bp_free(s.memory);
  }
}

/* max|v - reference| / max|scale|, or by `least` where that is more or there is no scale, and the node where
 * it is; what is not finite is infinitely wrong. */
static double element_error(int64_t nodes, const double *v, const double *reference,
                            const double *scale, double least, int64_t *where)
{
  double difference = 0, size = least;
  *where = 0;
  for (int64_t n = 0; n < nodes; ++n) {
    double d = fabs(v[n] - reference[n]);
    if (scale)
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

/* Derivatives are differences of u, which is of one size everywhere: where they are small by chance, their
 * rounding errors are not. They are relative to the usual size of v, then. */
static double usual_size(const bp_problem *problem, int64_t first, int64_t last,
                         const double *reference)
{
  int64_t nodes = nodes_of(problem);
  double sum = 0;
  if (!problem->op->own || problem->op->own->size > 0)
    return problem->op->own ? problem->op->own->size : 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int64_t n = first * nodes; n < last * nodes; ++n)
    sum += reference[n] * reference[n];
  return last > first ? sqrt(sum / (double)((last - first) * nodes)) : 0;
}

/* The largest error of an element, which counts as at least of size `least`. */
static double largest_error(const bp_problem *problem, int64_t first, int64_t last, const double *v,
                            const double *reference, const double *scale, double least,
                            int64_t *where)
{
  int64_t nodes = nodes_of(problem), worst = first * nodes;
  double largest = 0;
#pragma omp parallel
  {
    double most = 0; /* of this thread's elements, which ascend */
    int64_t place = first * nodes;
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e) {
      int64_t n = e * nodes, at;
      double error =
          element_error(nodes, v + n, reference + n, scale ? scale + n : NULL, least, &at);
      if (error > most) {
        most = error;
        place = n + at;
      }
    }
#pragma omp critical(bp_reference_error)
    if (most > largest || (most == largest && most > 0 && place < worst)) {
      largest = most;
      worst = place;
    }
  }
  *where = worst;
  return largest;
}

double bp_reference_error_to_scale(const bp_problem *problem, int64_t first, int64_t last,
                                   const double *v, const double *reference, const double *scale,
                                   int64_t *where)
{
  return largest_error(problem, first, last, v, reference, scale, 0, where);
}

double bp_reference_error(const bp_problem *problem, int64_t first, int64_t last, const double *v,
                          const double *reference, int64_t *where)
{
  const double *scale = problem->op->own && problem->op->own->is_absolute ? NULL : reference;
  return largest_error(problem, first, last, v, reference, scale,
                       usual_size(problem, first, last, reference), where);
}

/* Measured over 2 million unknowns at every degree: no order of summation, with or without FMA,
 * whole or split into even and odd halves, is off by more than 8 eps in this norm, since rounding
 * errors do not conspire: six to twelve short sums add up like the square root of their number.
 * Three times that, and more for longer sums, still sees 1e-10 in any matrix entry (170 eps and
 * more). */
double bp_reference_tolerance(const bp_problem *problem)
{
  if (problem->op->own && problem->op->own->tolerance)
    return problem->op->own->tolerance(problem);
  if (problem->space.precision == BP_SINGLE) /* so that 1e-5 is still seen, in 84 eps */
    return FLT_EPSILON * (8 + problem->basis.nc);
  return DBL_EPSILON * (24 + 2 * problem->basis.nc);
}
