/* convergence.c -- a manufactured screened-Poisson problem, solved by plain conjugate gradients over gathered
 * unknowns, converges with order N+1 in the L2 norm: operators, factors and connectivity at once. */
#include "space.h"
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "fem/reference.h"
#include "mesh/connectivity.h"
#include "numbering.h"

static const double pi = 3.14159265358979323846, lambda = 3;

/* Everything that one solution needs; unknowns are the mesh's unique nodes. */
typedef struct {
  const bp_mesh *mesh;
  int degree;
  bp_problem *problem;
  bp_connectivity *connectivity;
  int64_t count, *ids; /* element nodes */
  int64_t unique;
  bool *is_fixed;         /* the Dirichlet boundary */
  double *local, *result; /* element vectors */
} discretisation;

static discretisation discretise(const bp_mesh *mesh, const char *op, int degree, bool dirichlet)
{
  discretisation d = {.mesh = mesh, .degree = degree};
  int64_t nodes = (degree + 1) * (degree + 1) * (degree + 1);
  CU_ASSERT_FATAL(
      !bp_problem_create(bp_operator_find(op), space_of(op, degree), lambda, mesh, &d.problem));
  CU_ASSERT_FATAL(!bp_connectivity_create(mesh, &d.connectivity));
  d.count = mesh->elements * nodes;
  d.unique = bp_connectivity_unique(d.connectivity, degree);
  d.ids = bp_alloc((size_t)d.count, sizeof *d.ids);
  d.is_fixed = bp_alloc((size_t)d.unique, sizeof *d.is_fixed);
  d.local = bp_alloc((size_t)d.count, sizeof *d.local);
  d.result = bp_alloc((size_t)d.count, sizeof *d.result);
  bp_connectivity_number(d.connectivity, degree, 0, mesh->elements, d.ids);
  if (dirichlet)
    bp_connectivity_boundary(d.connectivity, degree, d.is_fixed);
  return d;
}

static void discretisation_destroy(discretisation *d)
{
  bp_problem_destroy(d->problem);
  bp_connectivity_destroy(d->connectivity);
  bp_free(d->ids);
  bp_free(d->is_fixed);
  bp_free(d->local);
  bp_free(d->result);
}

static void release_fixed(const discretisation *d, double *x)
{
  for (int64_t n = 0; n < d->unique; ++n)
    if (d->is_fixed[n])
      x[n] = 0;
}

/* y = Qᵀ A Q x, nothing at fixed nodes. */
static void apply(const discretisation *d, const bp_problem *problem, const double *x, double *y)
{
  bp_scatter(d->connectivity, d->degree, d->ids, x, d->local);
  bp_reference_apply(problem, 0, d->mesh->elements, d->local, d->result);
  bp_gather(d->connectivity, d->degree, d->ids, d->result, y);
  release_fixed(d, y);
}

static double dot(int64_t count, const double *x, const double *y)
{
  double sum = 0;
  for (int64_t n = 0; n < count; ++n)
    sum += x[n] * y[n];
  return sum;
}

static void solve(const discretisation *d, const double *b, double *x)
{
  size_t n = (size_t)d->unique;
  double *r = bp_alloc(n, sizeof *r), *p = bp_alloc(n, sizeof *p), *Ap = bp_alloc(n, sizeof *Ap);
  memcpy(r, b, n * sizeof *r);
  memcpy(p, b, n * sizeof *p);
  double rr = dot(d->unique, r, r), goal = 1e-18 * rr;
  int steps = 0;
  for (; rr > goal && steps < 1000; ++steps) {
    apply(d, d->problem, p, Ap);
    double alpha = rr / dot(d->unique, p, Ap), before = rr;
    for (size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * Ap[i];
    }
    rr = dot(d->unique, r, r);
    for (size_t i = 0; i < n; ++i)
      p[i] = r[i] + rr / before * p[i];
  }
  CHECK(rr <= goal, "N=%d: %d steps were not enough", d->degree, steps);
  bp_free(r);
  bp_free(p);
  bp_free(Ap);
}

/* Two solutions on the unit cube: one without a normal derivative on its surface, one that vanishes there.
 * Both are eigenfunctions of the Laplacian. */
typedef struct {
  double (*value)(const double x[3]);
  double eigenvalue;
  bool dirichlet;
} solution;

static double cosines(const double x[3])
{
  return cos(pi * x[0]) * cos(pi * x[1]) * cos(pi * x[2]);
}

static double sines(const double x[3])
{
  return sin(pi * x[0]) * sin(pi * x[1]) * sin(pi * x[2]);
}

static const solution natural = {cosines, 3 * 9.8696044010893586188, false};
static const solution fixed = {sines, 3 * 9.8696044010893586188, true};

static double *create_values(const bp_mesh *mesh, int degree, const solution *s)
{
  int64_t count = mesh->elements * (degree + 1) * (degree + 1) * (degree + 1);
  double *values = bp_alloc((size_t)count, sizeof *values);
  double *x = bp_alloc((size_t)count * 3, sizeof *x);
  bp_problem_nodes(mesh, degree, 0, mesh->elements, x);
  for (int64_t n = 0; n < count; ++n)
    values[n] = s->value(x + 3 * n);
  bp_free(x);
  return values;
}

/* b = Qᵀ M f, with f = (eigenvalue + lambda) u at the nodes. */
static double *create_load(const discretisation *d, const solution *s)
{
  bp_problem *mass;
  CU_ASSERT_FATAL(!bp_problem_create(bp_operator_find("bp1.0"), space_of("bp1.0", d->degree), 0,
                                     d->mesh, &mass));
  double *b = bp_alloc((size_t)d->unique, sizeof *b);
  double *f = create_values(d->mesh, d->degree, s);
  for (int64_t n = 0; n < d->count; ++n)
    f[n] *= s->eigenvalue + lambda;
  bp_reference_apply(mass, 0, d->mesh->elements, f, d->result);
  bp_gather(d->connectivity, d->degree, d->ids, d->result, b);
  release_fixed(d, b);
  bp_free(f);
  bp_problem_destroy(mass);
  return b;
}

/* in[k][j][i] of size `from`^3 at the points of m, of size `to`^3. */
static void interpolate(int from, int to, const double *m, const double *in, double *out)
{
  for (int n = 0; n < to * to * to; ++n) {
    const double *r = m + n % to * from, *s = m + n / to % to * from, *t = m + n / to / to * from;
    out[n] = 0;
    for (int a = 0; a < from * from * from; ++a)
      out[n] += r[a % from] * s[a / from % from] * t[a / from / from] * in[a];
  }
}

/* The L2 norm of x - u, seen at the nodes of a higher degree. */
static double error_of(const discretisation *d, const solution *s, const double *x)
{
  int fine = d->degree + 2, from = d->degree + 1, to = fine + 1;
  bp_problem *mass;
  CU_ASSERT_FATAL(
      !bp_problem_create(bp_operator_find("bp1.0"), space_of("bp1.0", fine), 0, d->mesh, &mass));
  double m[BP_POINTS_MAX * BP_POINTS_MAX], *exact = create_values(d->mesh, fine, s);
  size_t count = (size_t)bp_problem_dofs(mass);
  double *difference = bp_alloc(count, sizeof *difference), *v = bp_alloc(count, sizeof *v);
  bp_basis_interpolate(from, d->problem->basis.node, to, mass->basis.node, m);
  bp_scatter(d->connectivity, d->degree, d->ids, x, d->local);
  for (int64_t e = 0; e < d->mesh->elements; ++e)
    interpolate(from, to, m, d->local + e * from * from * from, difference + e * to * to * to);
  for (size_t n = 0; n < count; ++n)
    difference[n] -= exact[n];
  bp_reference_apply(mass, 0, d->mesh->elements, difference, v);
  double squared = dot((int64_t)count, difference, v);
  bp_free(exact);
  bp_free(difference);
  bp_free(v);
  bp_problem_destroy(mass);
  return sqrt(squared);
}

static double solve_on(const bp_mesh *mesh, const char *op, int degree, const solution *s)
{
  discretisation d = discretise(mesh, op, degree, s->dirichlet);
  double *b = create_load(&d, s), *x = bp_alloc((size_t)d.unique, sizeof *x);
  solve(&d, b, x);
  double error = error_of(&d, s, x);
  bp_free(b);
  bp_free(x);
  discretisation_destroy(&d);
  return error;
}

/* Two meshes, the second twice as fine; elements turned at random. */
static void converges(const char *op, int degree, const solution *s, bool curved)
{
  static const int coarse[] = {0, 6, 4, 3};
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    int n = coarse[degree] << fine;
    bp_random random = bp_random_start(1);
    bp_mesh *mesh = test_box((int[3]){n, n, n}, curved ? 2 : 1, test_warp);
    test_rotate_all(mesh, &random);
    error[fine] = solve_on(mesh, op, degree, s);
    test_box_destroy(mesh);
  }
  double order = log2(error[0] / error[1]);
  CHECK(fabs(order - (degree + 1)) < 0.3, "%s N=%d: order %.2f, errors %.2e and %.2e", op, degree,
        order, error[0], error[1]);
}

TEST(convergence, is_of_order_N_plus_1_on_warped_meshes)
{
  for (int degree = 1; degree <= 3; ++degree) {
    converges("bp3.0", degree, &natural, false);
    converges("bp3.5", degree, &fixed, false);
  }
}

TEST(convergence, is_of_order_N_plus_1_on_curved_meshes)
{
  converges("bp3.0", 2, &fixed, true);
  converges("bp3.5", 3, &natural, true);
}
