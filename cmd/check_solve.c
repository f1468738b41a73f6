/* check_solve.c -- a few iterations, compared one by one. */
#include "check_solve.h"
#include "check_copies.h"

#include "base/memory.h"
#include "base/random.h"
#include "measure/verify.h"
#include "mesh/curve.h"
#include "solve/cg.h"
#include "solve/load.h"
#include "solve/scheme.h"
#include "solve/wave_device.h"
#include <math.h>
#include <string.h>

enum { ITERATIONS = 5, TO_THE_END = 12, ITERATIONS_MAX = 40, QUICK = 7 };

/* How one is solved. Most cases have 5 iterations. One goes twice round all vectors that are kept, with a
 * load of all eigenvectors. One iteration has an end of its own. On the CPU few unknowns are iterated until nothing is
 * left: beta becomes very small. */
typedef struct {
  int iterations;
  bool is_random;
  double least; /* residual, of the first, after which only rounding errors are left */
  double tolerance;
} effort;

static effort effort_of(const bp_choice *choice, const bp_system *system)
{
  const int64_t elements = system->mesh->elements,
                free = bp_system_size(system) - system->unknowns->fixed * system->row->components;
  const int degree = system->problem->space.degree;
  const int rounds = 2 * (int)bp_choice_option(choice, "history", 2) + 2;
  const int64_t many = degree < 3 ? BP_CHECK_MANY : BP_CHECK_TURNED;
  const bool is_c = choice->variant->language == BP_LANGUAGE_C;
  if (elements == many && degree <= QUICK)
    return (effort){rounds, true, 1e-5, 1e-6};
  if (free > 1 && free < TO_THE_END &&
      is_c) /* of one unknown rounding errors alone are left at once */
    return (effort){TO_THE_END, true, 0, 1e-9};
  return (effort){elements == 2 ? 1 : ITERATIONS, false, 1e-3,
                  elements == BP_CHECK_MANY ? 1e-9 : 1e-11};
}

/* Whether every run gives the same bits. The emulator compares two orders by itself. */
static bool repeats(const bp_device *device, const bp_choice *choice, const bp_system *system)
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

/* A slab of two nearly equal sides, bent. */
static bp_status make_slab(int64_t elements, bp_mesh **mesh)
{
  int64_t side = (int64_t)sqrt((double)elements + 0.5);
  while (elements % side)
    --side;
  return bp_mesh_box(elements / side, side, 1, 0.2, mesh);
}

/* Layers of a pentagon cut into five: node 0 of a layer is the centre, an odd one the middle of a side, an
 * even one a corner. More meet than in any box: 5 at an edge and 10 at a vertex. */
enum { SECTORS = 5, RING = 2 * SECTORS, LAYER = RING + 1 };

static void place_fan(bp_mesh *mesh, int64_t layers)
{
  const double turn = 2 * 3.14159265358979323846 / RING;
  for (int64_t n = 0; n < mesh->nodes; ++n) {
    const int64_t m = n % LAYER, layer = n / LAYER;
    const double radius = m == 0 ? 0 : m % 2 ? 1 : 1.3;
    double *x = mesh->x + 3 * n;
    x[0] = radius * cos(turn * (double)m);
    x[1] = radius * sin(turn * (double)m);
    x[2] = (double)layer / (double)layers + 0.1 * x[0] * x[1];
  }
}

/* A row of as many elements, whose nodes are others. */
static bp_status make_fan(int64_t elements, bp_mesh **mesh)
{
  bp_status status = bp_mesh_box(elements, 1, 1, 0, mesh);
  if (status)
    return status;
  bp_mesh *m = *mesh;
  m->nodes = (elements / SECTORS + 1) * LAYER;
  bp_free(m->x);
  m->x = bp_alloc_array(3 * (size_t)m->nodes, sizeof *m->x);
  place_fan(m, elements / SECTORS);
  for (int64_t e = 0; e < elements; ++e) {
    const int side =
        (int)(2 * (e % SECTORS)) + 1; /* from the centre; then a corner, the next side */
    const int corner[4] = {0, side, side == RING - 1 ? 1 : side + 2, side + 1};
    for (int c = 0; c < 8; ++c)
      m->node[8 * e + c] = (int32_t)((e / SECTORS + c / 4) * LAYER + corner[c % 4]);
  }
  return BP_OK;
}

/* Names the axes of every element anew: each of the 24 ways to turn a cube is quarter turns about t and steps
 * from r to s to t. */
static void turn_elements(bp_mesh *mesh)
{
  static const int quarter[8] = {1, 3, 0, 2, 5, 7, 4, 6}, next_axis[8] = {0, 2, 4, 6, 1, 3, 5, 7};
  bp_random random = bp_random_start(1);
  for (int64_t e = 0; e < mesh->elements; ++e)
    for (uint64_t left = 4 + bp_random_below(&random, 8); left > 0; --left) {
      const int *from = bp_random_below(&random, 2) ? quarter : next_axis;
      int32_t old[8], *node = mesh->node + 8 * e;
      memcpy(old, node, sizeof old);
      for (int c = 0; c < 8; ++c)
        node[c] = old[from[c]];
    }
}

bp_status bp_check_mesh(int64_t elements, bp_mesh **mesh)
{
  const bool is_fan = elements == BP_CHECK_FAN || elements == BP_CHECK_SMALL_FAN;
  bp_status status = is_fan ? make_fan(elements, mesh) : make_slab(elements, mesh);
  if (status)
    return status;
  if (is_fan || elements == BP_CHECK_TURNED)
    turn_elements(*mesh);
  bp_mesh_sort(*mesh, NULL);
  return BP_OK;
}

typedef struct {
  int64_t size;
  double *f, *x, *expected;
  bp_cg_result textbook;
} vectors;

static void solve_by_the_book(bp_system *system, const effort *c, vectors *v)
{
  bp_cg_options options = {.iterations = c->iterations, .jacobi = system->problem->space.jacobi};
  bp_random random = bp_random_start(5);
  int useful = 1;
  bp_load_create(system, BP_LOAD_MANUFACTURED, v->f);
  for (int64_t n = 0; n < v->size && c->is_random; ++n)
    v->f[n] = v->f[n] != 0 ? 2 * bp_random_unit(&random) - 1 : 0;
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
static double difference_of(const vectors *v, const double *residuals, double tolerance)
{
  const double little = 1e-5, thousandth = 1e-3;
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

/* Of so many copies, whose sums are as many times as large. */
static void repeat(const bp_check_copies *copies, vectors *v)
{
  bp_check_copies_repeat(copies, &v->f);
  bp_check_copies_repeat(copies, &v->expected);
  bp_free(v->x);
  v->size = bp_system_size(&copies->system);
  v->x = bp_alloc_array((size_t)v->size, sizeof *v->x);
  for (int n = 0; n <= v->textbook.iterations; ++n)
    v->textbook.residuals[n] *= sqrt((double)copies->count);
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
  if (!status && repeats(device, choice, system)) {
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

/* Of `copies` of the system, unless that is NULL. */
static bp_status check_system(bp_device *device, const bp_choice *choice, bp_system *system,
                              const effort *e, bp_check_copies *copies)
{
  const bp_space space = system->problem->space;
  vectors v = {.size = bp_system_size(system)};
  double residuals[ITERATIONS_MAX + 1];
  v.f = bp_alloc_array((size_t)v.size, sizeof *v.f);
  v.x = bp_alloc_array((size_t)v.size, sizeof *v.x);
  v.expected = bp_alloc_array((size_t)v.size, sizeof *v.expected);
  solve_by_the_book(system, e, &v);
  if (copies)
    repeat(copies, &v);
  bp_status status =
      solve_on_device(device, choice, copies ? &copies->system : system, &v, residuals);
  double difference = status ? 0 : difference_of(&v, residuals, e->tolerance);
  if (difference > e->tolerance)
    status = bp_fail(BP_WRONG, "%s, lambda %g%s: %d iterations differ by %.2g, tolerance %.2g",
                     system->row->name, system->problem->lambda, space.jacobi ? ", jacobi" : "",
                     v.textbook.iterations, difference, e->tolerance);
  bp_cg_result_destroy(&v.textbook);
  bp_free(v.f);
  bp_free(v.x);
  bp_free(v.expected);
  return status;
}

/* ---- waves ---- */

/* The last source is silent at first. */
enum {
  STEPS = 6,
  STEPS_MAX = 20,
  SOURCES = BP_CHECK_SOURCES,
  RECEIVERS = BP_CHECK_RECEIVERS,
  SILENT = 3,
  SILENT_LONG = 12
};

/* Both ends of a run, and what was said and heard on the way. */
typedef struct {
  int steps;
  double *now, *before, *exact, *exact_before, signals[SOURCES * STEPS_MAX],
      traces[RECEIVERS * STEPS_MAX], expected[RECEIVERS * STEPS_MAX];
} run;

static void run_destroy(run *r)
{
  bp_free(r->now);
  bp_free(r->before);
  bp_free(r->exact);
  bp_free(r->exact_before);
}

/* Random values where nothing is fixed. */
static run run_create(const bp_wave *wave, int steps)
{
  const int64_t size = bp_system_size(wave->system);
  run r = {.steps = steps,
           .now = bp_alloc_array((size_t)size, sizeof(double)),
           .before = bp_alloc_array((size_t)size, sizeof(double)),
           .exact = bp_alloc_array((size_t)size, sizeof(double)),
           .exact_before = bp_alloc_array((size_t)size, sizeof(double))};
  bp_random random = bp_random_start(3);
  for (int64_t n = 0; n < size; ++n) {
    r.now[n] = wave->mass[n] > 0 ? 2 * bp_random_unit(&random) - 1 : 0;
    r.before[n] = wave->mass[n] > 0 ? 2 * bp_random_unit(&random) - 1 : 0;
  }
  for (int n = 0; n < SOURCES * steps; ++n)
    r.signals[n] = sin(1 + n) / (wave->dt * wave->dt);
  for (int k = 0; k < (steps > STEPS ? SILENT_LONG : SILENT); ++k)
    r.signals[(SOURCES - 1) * steps + k] = 0;
  memcpy(r.exact, r.now, (size_t)size * sizeof *r.now);
  memcpy(r.exact_before, r.before, (size_t)size * sizeof *r.now);
  return r;
}

/* Inside elements of `mesh`, the whole one, and at corners, where several meet, all of which lie on the
 * boundary. */
bp_status bp_check_points(bp_wave *wave, const bp_mesh *mesh)
{
  static const double parts[SOURCES + RECEIVERS] = {0.3, 0.5, 0, 0.5, 0, 0.7, 1, 0.4};
  bp_status status = BP_OK;
  for (int n = 0; n < SOURCES + RECEIVERS && !status; ++n) {
    const int64_t e = n % 2 ? mesh->elements - 1 : mesh->elements / 3;
    const double *a = mesh->x + 3 * (int64_t)mesh->node[8 * e],
                 *b = mesh->x + 3 * (int64_t)mesh->node[8 * e + 7], part = parts[n];
    const double x[3] = {a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]),
                         a[2] + part * (b[2] - a[2])};
    status = bp_wave_points_add(wave->system, n < SOURCES, x, &wave->points);
  }
  return status;
}

static void step_by_the_book(const bp_wave *wave, run *r)
{
  for (int k = 0; k < r->steps; ++k) {
    double now[SOURCES];
    for (int n = 0; n < SOURCES; ++n)
      now[n] = r->signals[n * r->steps + k];
    bp_wave_step(wave, now, r->exact, r->exact_before);
    double *next = r->exact_before;
    r->exact_before = r->exact;
    r->exact = next;
    for (int n = 0; n < wave->points.receivers; ++n)
      r->expected[n * r->steps + k] =
          bp_wave_points_value(wave->system, &wave->points, n, r->exact);
  }
}

static double largest_difference(int64_t count, const double *x, const double *expected)
{
  double worst = 0, largest = 1e-300;
  for (int64_t n = 0; n < count; ++n) {
    const double d = fabs(x[n] - expected[n]);
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
    largest = fmax(largest, fabs(expected[n]));
  }
  return worst / largest;
}

/* Twice where both must give the same bits. */
static bp_status step_on_device(bp_device *device, const bp_choice *choice, const bp_wave *wave,
                                run *r)
{
  const int64_t size = bp_system_size(wave->system);
  bp_wave_device *d = NULL;
  bp_plan *plan = NULL;
  bp_status status = bp_wave_device_create(device, wave, r->now, r->before, true, &d);
  if (!status && wave->points.sources)
    status = bp_wave_device_signal(d, r->signals, r->steps);
  if (!status)
    status = bp_wave_device_plan(d, choice, r->steps, &plan);
  if (!status)
    status = bp_wave_device_run(d, plan, r->now, r->before, r->traces);
  if (!status && repeats(device, choice, wave->system)) {
    double again[RECEIVERS * STEPS_MAX];
    double *now = bp_alloc_array((size_t)size, sizeof *now),
           *before = bp_alloc_array((size_t)size, sizeof *before);
    status = bp_wave_device_run(d, plan, now, before, again);
    if (!status)
      status = bp_check_bits(r->now, now, size, "u of unknown");
    if (!status)
      status = bp_check_bits(r->traces, again, (int64_t)wave->points.receivers * r->steps,
                             "the receivers' value");
    bp_free(now);
    bp_free(before);
  }
  bp_plan_destroy(plan);
  bp_wave_device_destroy(d);
  return status;
}

static void repeat_wave(bp_check_copies *copies, bp_wave *wave, run *r)
{
  double **all[] = {&wave->mass, &r->now, &r->before, &r->exact, &r->exact_before};
  for (size_t n = 0; n < sizeof all / sizeof *all; ++n)
    bp_check_copies_repeat(copies, all[n]);
  wave->system = &copies->system;
}

/* Step by step, with and without sources and receivers. */
static bp_status check_wave(bp_device *device, const bp_choice *choice, bp_system *system,
                            bool has_points, int steps, bp_check_copies *copies)
{
  static const double tolerance = 1e-12;
  bp_wave *wave;
  bp_wave_create(system, 0.9, &wave);
  bp_status status = has_points ? bp_check_points(wave, system->mesh) : BP_OK;
  run r = run_create(wave, steps);
  step_by_the_book(wave, &r);
  if (copies)
    repeat_wave(copies, wave, &r);
  const int64_t size = bp_system_size(wave->system);
  if (!status)
    status = step_on_device(device, choice, wave, &r);
  const double difference =
      status ? 0
             : fmax(fmax(largest_difference(size, r.now, r.exact),
                         largest_difference(size, r.before, r.exact_before)),
                    largest_difference(wave->points.receivers * steps, r.traces, r.expected));
  if (difference > tolerance)
    status =
        bp_fail(BP_WRONG, "%s, %s: %d steps differ by %.2g, tolerance %.2g",
                system->unknowns->fixed ? "fixed" : "free",
                has_points ? "sources and receivers" : "no sources", steps, difference, tolerance);
  run_destroy(&r);
  bp_wave_destroy(wave);
  return status;
}

/* With sources and receivers where all is free at one number of elements, where not at the next. */
static bp_status check_waves(bp_device *device, const bp_choice *choice, bp_system_options options,
                             const bp_mesh *mesh)
{
  const bool is_long = mesh->elements <= BP_CHECK_TURNED && options.space.degree <= QUICK;
  bp_status status = BP_OK;
  for (int n = 0; n < 2 && !status; ++n) {
    bp_system *system = NULL;
    options.lambda = 0;
    options.all_free = n;
    status = bp_system_create(options, mesh, &system);
    if (!status)
      status = check_wave(device, choice, system, (n + mesh->elements) % 2 == 0,
                          is_long ? STEPS_MAX : STEPS, NULL);
    bp_system_destroy(system);
  }
  return status;
}

/* ---- all of a variant ---- */

/* Of row n: with a preconditioner and a mass term at one degree, with one of them at the next. */
static bp_space space_of(const bp_choice *choice, const bp_bake_off *row, int n, int degree,
                         int beyond, const char *rule, bp_element_geometry geometry, bool has_mass)
{
  bp_space space = bp_bake_off_space_with(row, degree, beyond, rule);
  space.geometry = geometry;
  space.jacobi =
      bp_variant_takes(choice->variant, BP_OPERAND_diagonal) && (degree + n + has_mass) % 2 == 1;
  return space;
}

int bp_check_solve_builds(const bp_choice *choice, int degree, int beyond, const char *rule,
                          bp_element_geometry geometry, bp_build *builds)
{
  const bp_bake_off *rows[BP_BAKE_OFFS];
  int count = bp_check_rows(choice->variant, rows), builds_count = 0;
  for (int n = 0; n < count; ++n)
    for (int mass = 0; mass < (bp_bake_off_is_wave(rows[n]) ? 1 : 2); ++mass)
      builds[builds_count++] =
          (bp_build){*choice, bp_bake_off_operator(rows[n], mass),
                     space_of(choice, rows[n], n, degree, beyond, rule, geometry, mass)};
  return builds_count;
}

static bp_system_options options_of(const bp_choice *choice, const bp_bake_off *row, int n,
                                    int degree, int beyond, const char *rule,
                                    bp_element_geometry geometry, bool has_mass)
{
  return (bp_system_options){.row = row,
                             .space =
                                 space_of(choice, row, n, degree, beyond, rule, geometry, has_mass),
                             .lambda = !has_mass    ? 0
                                       : degree % 2 ? 0.5
                                                    : 2.5};
}

bp_status bp_check_solve(bp_device *device, const bp_choice *choice, int degree, int beyond,
                         const char *rule, bp_element_geometry geometry, int64_t elements)
{
  const bp_bake_off *rows[BP_BAKE_OFFS];
  int count = bp_check_rows(choice->variant, rows);
  bp_mesh *mesh = NULL;
  bp_status status = bp_check_mesh(elements, &mesh);
  for (int n = 0; n < count && !status; ++n) {
    const bool has_mass = !bp_bake_off_is_wave(rows[n]) && (elements + n) % 2 == 0;
    bp_system_options options =
        options_of(choice, rows[n], n, degree, beyond, rule, geometry, has_mass);
    options.all_free = has_mass && (degree == 1 || elements == BP_CHECK_MANY);
    bp_system *system = NULL;
    if (bp_bake_off_is_wave(rows[n])) {
      status = check_waves(device, choice, options, mesh);
      continue;
    }
    status = bp_system_create(options, mesh, &system);
    if (!status) {
      const effort e = effort_of(choice, system);
      status = check_system(device, choice, system, &e, NULL);
    }
    bp_system_destroy(system);
  }
  bp_mesh_destroy(mesh);
  return status;
}

/* Without a preconditioner, whose diagonal would take long. */
bp_status bp_check_solve_large(bp_device *device, const bp_choice *choice, int degree, int beyond,
                               const char *rule, bp_element_geometry geometry, int64_t entries,
                               int64_t *elements)
{
  enum { FEW = 65 };
  static const effort few = {ITERATIONS, false, 1e-3, 1e-11};
  const bp_bake_off *rows[BP_BAKE_OFFS];
  bp_mesh *mesh = NULL;
  bp_system *system = NULL;
  bp_check_copies *copies = NULL;
  bp_check_rows(choice->variant, rows);
  const bool is_wave = bp_bake_off_is_wave(rows[0]);
  if (bp_variant_takes(choice->variant, BP_OPERAND_entries))
    return bp_fail(BP_SKIPPED, "has a matrix instead of factors");
  bp_status status = bp_check_mesh(FEW, &mesh);
  if (!status)
    status = bp_system_create(
        options_of(choice, rows[0], 0, degree, beyond, rule, geometry, !is_wave && degree % 2),
        mesh, &system);
  if (!status)
    status = bp_check_copies_create(system, entries, &copies);
  if (!status) {
    *elements = copies->mesh->elements;
    status = is_wave ? check_wave(device, choice, system, false, STEPS, copies)
                     : check_system(device, choice, system, &few, copies);
  }
  bp_check_copies_destroy(copies);
  bp_system_destroy(system);
  bp_mesh_destroy(mesh);
  return status;
}
