/* solve.c -- a few iterations, compared one by one. */
#include "check/solve.h"

#include "base/memory.h"
#include "base/random.h"
#include "measure/verify.h"
#include "solve/cg.h"
#include "solve/inner_products.h"
#include "solve/load.h"
#include "solve/multigrid.h"
#include "solve/outcome.h"
#include "solve/scheme.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 5, TO_THE_END = 12, ITERATIONS_MAX = 40 };

/* In single precision: the residual after which there is nothing else. */
static const double least_of_floats = 3e-2;

/* How one is solved. Most cases have 5 iterations. One goes twice round all vectors that are kept, or so far,
 * with a load of all eigenvectors. One iteration has an end of its own. On the CPU few unknowns are iterated until nothing is
 * left: beta becomes very small. On one element beta is small at once, as the load is nearly an eigenvector. */
typedef struct {
  int iterations;
  bool is_random, is_eigenvector;
  double least; /* residual, of the first, after which only rounding errors are left */
  double tolerance;
} effort;

static effort effort_in_double(const bp_choice *choice, const bp_system *system)
{
  const int64_t elements = system->mesh->elements,
                free = bp_system_size(system) - system->unknowns->fixed * system->row->components;
  const int degree = system->problem->space.degree;
  const bool is_c = choice->variant->language == BP_LANGUAGE_C;
  const int kept = is_c && system->problem->space.precision != BP_SINGLE ? 5 : 2;
  const int rounds = 2 * (int)bp_choice_option(choice, "history", kept) + 2;
  const int64_t many = degree < 3 ? BP_CHECK_MANY : BP_CHECK_TURNED;
  if (elements == many && degree <= BP_CHECK_QUICK)
    return (effort){rounds, true, false, 1e-5, 1e-6};
  if (free > 1 && free < TO_THE_END &&
      is_c) /* of one unknown rounding errors alone are left at once */
    return (effort){TO_THE_END, true, false, 0, 1e-9};
  return (effort){elements == 2 ? 1 : ITERATIONS, elements == 1, elements == 1, 1e-3,
                  elements == BP_CHECK_MANY ? 1e-9 : 1e-11};
}

/* Floats: three times what was seen at any degree, so that 1e-5 is still seen. */
static effort effort_of(const bp_choice *choice, const bp_system *system)
{
  const double rounds = 1e-4;
  effort e = effort_in_double(choice, system);
  const int degree = system->problem->space.degree;
  if (system->problem->space.precision == BP_SINGLE) {
    e.least = fmax(e.least, least_of_floats);
    e.tolerance = e.iterations > TO_THE_END     ? rounds
                  : system->mesh->elements <= 2 ? FLT_EPSILON * (8 + 2 * degree)
                                                : FLT_EPSILON * (32 + 4 * degree);
  }
  return e;
}

bool bp_check_repeats(const bp_device *device, const bp_choice *choice, const bp_system *system)
{
  return !device->backend->is_emulation &&
         !bp_choice_is_atomic(choice, system->problem->op, system->problem->space);
}

bp_status bp_check_bits(const double *x, const double *again, int64_t count, const char *what)
{
  int64_t n = 0;
  while (n < count && bp_same_bits(x[n], again[n]))
    ++n;
  return n == count ? BP_OK
                    : bp_fail(BP_WRONG, "%s %lld is %.17g in one run, %.17g in the next", what,
                              (long long)n, x[n], again[n]);
}

int bp_check_rows(const bp_variant *variant, const bp_bake_off *rows[BP_BAKE_OFFS])
{
  int count = 0;
  for (int n = 0; n < BP_SOLVES; ++n)
    if (strcmp(bp_bake_offs[n].kernels, variant->problem) == 0)
      rows[count++] = &bp_bake_offs[n];
  return count;
}

typedef struct {
  int64_t size;
  int components;
  double *f, *x, *expected;
  bp_cg_result textbook;
} vectors;

static double dot(const vectors *v, const double *x, const double *y, const double *diagonal)
{
  double sum = 0;
  for (int64_t n = 0; n < v->size; ++n)
    sum += x[n] * y[n] / (diagonal ? diagonal[n % (v->size / v->components)] : 1);
  return sum;
}

/* f becomes A f / diagonal and so on, until the first iteration leaves little: beta is
 * (A z . A z) (f . f) / (A z . f)^2 - 1, products over the diagonal, z = f / diagonal. */
static void turn_to_eigenvector(bp_system *system, vectors *v)
{
  enum { MOST = 200 };
  const double small = 5e-4;
  const int64_t count = v->size / v->components;
  double *diagonal = NULL, *z = bp_alloc_array((size_t)v->size, sizeof *z), beta = 1;
  if (system->problem->space.jacobi) {
    diagonal = bp_alloc_array((size_t)count, sizeof *diagonal);
    bp_system_diagonal(system, diagonal);
  }
  for (int m = 0; m < MOST && beta > small; ++m) {
    for (int64_t n = 0; n < v->size; ++n)
      z[n] = diagonal ? v->f[n] / diagonal[n % count] : v->f[n];
    bp_system_apply(system, z, v->x);
    const double mixed = dot(v, v->f, v->x, diagonal), square = dot(v, v->x, v->x, diagonal);
    beta = mixed > 0 ? square * dot(v, v->f, v->f, diagonal) / (mixed * mixed) - 1 : 0;
    for (int64_t n = 0; n < v->size && beta > small; ++n)
      v->f[n] = v->x[n] / sqrt(square);
  }
  bp_free(diagonal);
  bp_free(z);
}

static void solve_by_the_book(bp_system *system, const effort *c, vectors *v)
{
  bp_cg_options options = {.iterations = c->iterations, .jacobi = system->problem->space.jacobi};
  bp_random random = bp_random_start(5);
  int useful = 1;
  bp_load_create(system, BP_LOAD_MANUFACTURED, v->f);
  for (int64_t n = 0; n < v->size && c->is_random; ++n)
    v->f[n] = v->f[n] != 0 ? 2 * bp_random_unit(&random) - 1 : 0;
  if (c->is_eigenvector)
    turn_to_eigenvector(system, v);
  for (int64_t n = 0; n < v->size && system->problem->space.precision == BP_SINGLE; ++n)
    v->f[n] = (float)v->f[n];
  bp_cg_solve(system, options, v->f, v->expected, &v->textbook);
  while (useful < c->iterations &&
         v->textbook.residuals[useful] > c->least * v->textbook.residuals[0])
    ++useful;
  if (useful == c->iterations)
    return;
  bp_cg_result_destroy(&v->textbook);
  options.iterations = useful;
  bp_cg_solve(system, options, v->f, v->expected, &v->textbook);
}

/* The largest difference of the squares of the residuals, of the first one, and of x, of the largest value.
 * Some schemes have the squares alone, with the rounding errors of the first. Until there is little left, a
 * residual that is off by a thousandth of itself is as wrong. */
static double difference_of(const vectors *v, const double *residuals, double tolerance,
                            double little)
{
  const double thousandth = 1e-3;
  const bp_cg_result *t = &v->textbook;
  double worst = 0, largest = 0, first = t->residuals[0] > 0 ? t->residuals[0] : 1;
  for (int64_t n = 0; n < v->size; ++n) {
    double d = fabs(v->x[n] - v->expected[n]);
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
    largest = fmax(largest, fabs(v->expected[n]));
  }
  worst /= largest > 0 ? largest : 1;
  for (int n = 0; n <= t->iterations; ++n) {
    const double r = residuals[n] / first, expected = t->residuals[n] / first;
    const double part = expected > little ? fabs(r / expected - 1) / thousandth : 0;
    const double d = fmax(fabs(r * r - expected * expected), tolerance * part);
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
  }
  return worst;
}

/* Solves twice where both must give the same bits. */
static bp_status solve_on_device(bp_device *device, const bp_choice *choice, bp_system *system,
                                 vectors *v, double *residuals)
{
  const int iterations = v->textbook.iterations;
  bp_scheme *scheme = NULL;
  bp_plan *plan = NULL;
  bp_status status = bp_scheme_create(device, system, v->f, true, &scheme);
  if (!status)
    status = bp_scheme_plan(scheme, choice, &plan);
  if (!status) {
    plan->iterations = iterations;
    status = bp_scheme_run(scheme, plan, v->x, residuals);
  }
  if (!status && bp_check_repeats(device, choice, system)) {
    double again[ITERATIONS_MAX + 1], *x = bp_alloc_array((size_t)v->size, sizeof *x);
    status = bp_scheme_run(scheme, plan, x, again);
    if (!status)
      status = bp_check_bits(residuals, again, iterations + 1, "the residual of iteration");
    if (!status)
      status = bp_check_bits(v->x, x, v->size, "x of unknown");
    bp_free(x);
  }
  bp_plan_destroy(plan);
  bp_scheme_destroy(scheme);
  return status;
}

/* ---- p-multigrid ---- */

/* The largest difference of a cycle's result from the literal one, of its largest value; *asymmetry of the
 * cycle: |a M b - b M a| of |a M b|. */
static bp_status compare_cycles(bp_multigrid *m, const bp_system *system, double *difference,
                                double *asymmetry)
{
  const int64_t size = bp_system_size(system), count = system->unknowns->count;
  double *a = bp_alloc_array((size_t)size, sizeof *a), *b = bp_alloc_array((size_t)size, sizeof *b),
         *ma = bp_alloc_array((size_t)size, sizeof *ma),
         *mb = bp_alloc_array((size_t)size, sizeof *mb), worst = 0, largest = 0;
  uint8_t *is_fixed = bp_alloc((size_t)count, sizeof *is_fixed);
  bp_random random = bp_random_start(7);
  bp_unknowns_fixed(system->unknowns, is_fixed);
  for (int64_t n = 0; n < size; ++n) {
    a[n] = is_fixed[n % count] ? 0 : 2 * bp_random_unit(&random) - 1;
    b[n] = is_fixed[n % count] ? 0 : 2 * bp_random_unit(&random) - 1;
  }
  bp_status status = bp_multigrid_cycle(m, a, ma);
  if (!status)
    status = bp_multigrid_cycle(m, b, mb);
  const double bma = bp_system_dot(size, b, ma), amb = bp_system_dot(size, a, mb),
               norm = sqrt(bp_system_dot(size, a, ma) * bp_system_dot(size, b, mb));
  *asymmetry = norm > 0 ? fabs(amb - bma) / norm : 0;
  bp_multigrid_literal(m, a, mb);
  for (int64_t n = 0; n < size; ++n) {
    const double d = fabs(ma[n] - mb[n]);
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
    largest = fmax(largest, fabs(mb[n]));
  }
  *difference = worst > 0 ? worst / largest : 0;
  bp_free(a);
  bp_free(b);
  bp_free(ma);
  bp_free(mb);
  bp_free(is_fixed);
  return status;
}

/* Iterations with it, to the literal operator's residual. */
static bp_status solve_preconditioned(bp_scheme *scheme, bp_plan *plan, bp_system *system,
                                      const double *f)
{
  enum { MOST = 60 };
  double residuals[MOST + 1], *x = bp_alloc_array((size_t)bp_system_size(system), sizeof *x);
  bool reached;
  bp_outcome outcome;
  plan->iterations = MOST;
  bp_status status = bp_scheme_run_to(scheme, plan, 1e-8, x, residuals, &reached);
  if (!status && !reached)
    status = bp_fail(BP_WRONG, "%d iterations leave %.2g of the residual", MOST,
                     residuals[MOST] / residuals[0]);
  if (!status)
    status = bp_outcome_of(system, f, x, plan->iterations, residuals, &outcome);
  bp_free(x);
  return status;
}

/* The inverse is of few unknowns, so that aggregates are made. Boxes with a layer are not symmetric. */
static bp_status check_multigrid(bp_device *device, const bp_choice *choice, bp_system *system,
                                 const char *fixed)
{
  const bool is_double = system->problem->space.double_cycle;
  const double tolerance = is_double ? 1e-11 : 2e-5;
  const bool has_stiffness = system->problem->op->components > 1;
  const bp_smoother smoother =
      has_stiffness ? (bp_smoother)((system->mesh->elements + system->unknowns->degree) % 3)
                    : BP_SMOOTHER_JACOBI;
  const bool has_layer = smoother == BP_SMOOTHER_RAS;
  const bp_multigrid_options options = {.levels = "auto",
                                        .smoother = smoother,
                                        .smoothing = {2, has_layer ? 3 : 2},
                                        .is_first_kind = system->mesh->elements % 2 == 0,
                                        .is_double = is_double,
                                        .coarse = 8,
                                        .fixed = fixed};
  double difference = 0, asymmetry = 0,
         *f = bp_alloc_array((size_t)bp_system_size(system), sizeof *f);
  bp_scheme *scheme = NULL;
  bp_plan *plan = NULL;
  bp_multigrid *m = NULL;
  bp_load_create(system, BP_LOAD_MANUFACTURED, f);
  bp_status status = bp_scheme_create(device, system, f, true, &scheme);
  if (!status)
    status = bp_scheme_plan(scheme, choice, &plan);
  if (!status)
    status = bp_multigrid_create(scheme, choice, &options, &m);
  if (!status)
    status = compare_cycles(m, system, &difference, &asymmetry);
  asymmetry = has_layer ? 0 : asymmetry;
  if (!status && !(fmax(difference, asymmetry) <= tolerance))
    status = bp_fail(BP_WRONG,
                     "%s, lambda %g: the cycle differs by %.2g from the literal one, a M b from b "
                     "M a by %.2g, tolerance %.2g",
                     system->row->name, system->problem->lambda, difference, asymmetry, tolerance);
  if (!status) {
    bp_multigrid_attach(m, plan);
    status = solve_preconditioned(scheme, plan, system, f);
  }
  bp_plan_destroy(plan);
  bp_multigrid_destroy(m);
  bp_scheme_destroy(scheme);
  bp_free(f);
  return status;
}

static bp_status check_system(bp_device *device, const bp_choice *choice, bp_system *system)
{
  const effort e = effort_of(choice, system);
  const bp_space space = system->problem->space;
  vectors v = {.size = bp_system_size(system), .components = system->row->components};
  double residuals[ITERATIONS_MAX + 1];
  v.f = bp_alloc_array((size_t)v.size, sizeof *v.f);
  v.x = bp_alloc_array((size_t)v.size, sizeof *v.x);
  v.expected = bp_alloc_array((size_t)v.size, sizeof *v.expected);
  solve_by_the_book(system, &e, &v);
  bp_status status = solve_on_device(device, choice, system, &v, residuals);
  double difference = status ? 0
                             : difference_of(&v, residuals, e.tolerance,
                                             space.precision == BP_SINGLE ? least_of_floats : 1e-5);
  if (difference > e.tolerance)
    status = bp_fail(BP_WRONG, "%s, lambda %g%s: %d iterations differ by %.2g, tolerance %.2g",
                     system->row->name, system->problem->lambda, space.jacobi ? ", jacobi" : "",
                     v.textbook.iterations, difference, e.tolerance);
  bp_cg_result_destroy(&v.textbook);
  bp_free(v.f);
  bp_free(v.x);
  bp_free(v.expected);
  return status;
}

/* ---- all of a variant ---- */

/* Of row n: with a preconditioner and a mass term at one degree, with one of them at the next; a cycle in
 * double at one degree alone. */
static bp_space space_of(const bp_checked *t, const bp_bake_off *row, int n, int degree, int beyond,
                         bool has_mass)
{
  bp_space space = bp_bake_off_space_with(row, degree, beyond, t->check->config->rule);
  space.geometry = t->task->geometry;
  space.precision = bp_precision_find(t->check->config->precision);
  space.multigrid = bp_variant_takes(t->task->choice.variant, BP_OPERAND_schedule);
  space.jacobi = bp_variant_takes(t->task->choice.variant, BP_OPERAND_diagonal) &&
                 !space.multigrid && (degree + n + has_mass) % 2 == 1;
  space.double_cycle = space.multigrid && has_mass && degree == 2;
  return space;
}

int bp_check_solve_builds(const bp_checked *t, int degree, int beyond, bp_build *builds)
{
  const bp_choice *choice = &t->task->choice;
  const bp_bake_off *rows[BP_BAKE_OFFS];
  int count = bp_check_rows(choice->variant, rows), builds_count = 0;
  for (int n = 0; n < count; ++n)
    for (int mass = 0; mass < (bp_bake_off_is_wave(rows[n]) ? 1 : 2); ++mass)
      builds[builds_count++] = (bp_build){*choice, bp_bake_off_operator(rows[n], mass),
                                          space_of(t, rows[n], n, degree, beyond, mass)};
  return builds_count;
}

bp_status bp_check_solve(const bp_checked *t, bp_device *device, int degree, int beyond,
                         int64_t elements)
{
  const bp_choice *choice = &t->task->choice;
  const bp_bake_off *rows[BP_BAKE_OFFS];
  int count = bp_check_rows(choice->variant, rows);
  bp_mesh *mesh = NULL;
  bp_status status = bp_check_mesh(elements, t->task->geometry, &mesh);
  for (int n = 0; n < count && !status; ++n) {
    const bool is_wave = bp_bake_off_is_wave(rows[n]),
               has_mass = !is_wave && (elements + n) % 2 == 0;
    const bp_system_options options = {.row = rows[n],
                                       .space = space_of(t, rows[n], n, degree, beyond, has_mass),
                                       .lambda = !has_mass                       ? 0
                                                 : (degree + (elements > 2)) % 2 ? 0.5
                                                                                 : 2.5,
                                       .all_free =
                                           has_mass && (degree == 1 || elements == BP_CHECK_MANY)};
    bp_system *system = NULL;
    if (is_wave) {
      status = bp_check_waves(device, choice, options, mesh);
      continue;
    }
    status = bp_system_create(options, mesh, &system);
    if (!status && options.space.multigrid)
      status = check_multigrid(device, choice, system, options.all_free ? "none" : NULL);
    else if (!status)
      status = check_system(device, choice, system);
    bp_system_destroy(system);
  }
  bp_mesh_destroy(mesh);
  return status;
}
