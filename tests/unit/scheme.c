/* scheme.c -- tests of solves by kernels: on the emulator, against the textbook's conjugate gradients. */
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "solve/cg.h"
#include "solve/inner_products.h"
#include "solve/load.h"
#include "solve/outcome.h"
#include "solve/scheme.h"
#include <math.h>

enum { ITERATIONS = 9 };

/* The emulator, or the CPU with three threads, of which one has no elements at times. */
static bp_device *open_backend(const bp_backend *backend)
{
  bp_device *device = NULL;
  bp_device_options options = {.seed = 3, .threads = 3};
  CHECK(bp_device_create(backend, &options, &device) == BP_OK, "%s", bp_message());
  return device;
}

/* The largest difference of x and of the residuals, relative to the largest. */
static double compare(bp_device *device, const bp_choice *choice, bp_system *system)
{
  size_t size = (size_t)bp_system_size(system);
  double *f = bp_alloc(size, sizeof *f), *x = bp_alloc(size, sizeof *x);
  double *expected = bp_alloc(size, sizeof *x), residuals[ITERATIONS + 1];
  double difference = 0, scale = 0;
  bp_scheme_once run = {.iterations = ITERATIONS, .residuals = residuals};
  bp_cg_result result;
  bp_load_create(system, BP_LOAD_MANUFACTURED, f);
  bp_cg_solve(system, (bp_cg_options){.iterations = ITERATIONS}, f, expected, &result);
  bp_status status = bp_scheme_solve(device, choice, system, f, x, &run);
  CHECK(status == BP_OK, "%s %s: %s", system->row->name, choice->variant->id, bp_message());
  for (size_t n = 0; n < size; ++n) {
    difference = fmax(difference, isnan(x[n]) ? INFINITY : fabs(x[n] - expected[n]));
    scale = fmax(scale, fabs(expected[n]));
  }
  difference /= scale;
  for (int n = 0; n <= ITERATIONS && !status; ++n)
    difference = fmax(difference, fabs(residuals[n] - result.residuals[n]) / result.residuals[0]);
  bp_cg_result_destroy(&result);
  bp_free(f);
  bp_free(x);
  bp_free(expected);
  return status ? INFINITY : difference;
}

static void check_on(const bp_backend *backend, const bp_mesh *mesh, const char *name,
                     const char *variant, int degree)
{
  const bp_bake_off *row = bp_bake_off_find(name);
  bp_system_options options = {
      .row = row, .space = bp_bake_off_space(row, degree), .lambda = degree % 2 ? 0.3 : 0};
  bp_device *device = open_backend(backend);
  bp_system *system = NULL;
  char id[64];
  snprintf(id, sizeof id, "%s/%s", options.row->kernels, variant);
  const bp_variant *found = bp_variant_find(id, backend->language);
  CU_ASSERT_FATAL(device && found);
  bp_choice choice = bp_choice_standard(found);
  CU_ASSERT_FATAL(bp_system_create(options, mesh, &system) == BP_OK);
  double difference = compare(device, &choice, system);
  CHECK(difference < 1e-11, "%s %s N=%d: %.2g", name, id, degree, difference);
  bp_system_destroy(system);
  bp_device_destroy(device);
}

static void check_row(const char *name, const char *variant, int degree)
{
  bp_mesh *mesh = NULL;
  CU_ASSERT_FATAL(bp_mesh_box(3, 2, 2, 0.2, &mesh) == BP_OK);
  check_on(&bp_backend_emulate, mesh, name, variant, degree);
  bp_mesh_destroy(mesh);
}

/* Elements of all threads meet: some unknowns belong to one and are added to by all. Solves that end
 * within the iterations are left out: nothing but rounding errors is compared then. */
TEST(scheme, two_passes_on_the_cpu_are_conjugate_gradients)
{
  static const char *const names[] = {"bp1", "bp2", "bp3", "bp4", "bp5", "bp6"};
  bp_mesh *boxes[2] = {NULL, NULL};
  CU_ASSERT_FATAL(bp_mesh_box(5, 3, 2, 0.2, &boxes[0]) == BP_OK);
  CU_ASSERT_FATAL(bp_mesh_box(1, 2, 1, 0.2, &boxes[1]) == BP_OK);
  for (int b = 0; b < 2; ++b)
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
      for (int degree = 2 - (n < 2 && b == 0); degree <= 4; ++degree)
        check_on(&bp_backend_cpu, boxes[b], names[n], "two-pass", degree);
  bp_mesh_destroy(boxes[0]);
  bp_mesh_destroy(boxes[1]);
}

TEST(scheme, other_ways_on_the_cpu_are_conjugate_gradients_too)
{
  static const char *const names[] = {"bp1", "bp4", "bp5", "bp6"};
  bp_mesh *box = NULL;
  CU_ASSERT_FATAL(bp_mesh_box(5, 3, 2, 0.2, &box) == BP_OK);
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    for (int degree = 2 - (n == 0); degree <= 3; ++degree) {
      check_on(&bp_backend_cpu, box, names[n], "one-pass", degree);
      check_on(&bp_backend_cpu, box, names[n], "unfused", degree);
      check_on(&bp_backend_cpu, box, names[n], "assembled", degree);
    }
  bp_mesh_destroy(box);
}

TEST(scheme, two_kernels_are_conjugate_gradients)
{
  for (int degree = 1; degree <= 3; ++degree) {
    check_row("bp1", "two-kernel", degree);
    check_row("bp3", "two-kernel", degree);
    check_row("bp5", "two-kernel", degree);
  }
}

TEST(scheme, three_components_too)
{
  check_row("bp2", "two-kernel", 2);
  check_row("bp4", "two-kernel", 2);
  check_row("bp6", "two-kernel", 2);
}

TEST(scheme, sparse_matrices_too)
{
  check_row("bp2", "assembled", 1);
  check_row("bp5", "assembled", 2);
}

TEST(scheme, tensor_cores_too)
{
  check_row("bp5", "two-kernel-mma", 7);
  check_row("bp3", "two-kernel-mma", 7);
}

/* ---- whole solves ---- */

typedef struct {
  bp_system *system;
  double *f, *x, residuals[1001];
} whole;

static whole whole_create(const bp_mesh *mesh, const char *name, int degree)
{
  whole w = {0};
  const bp_bake_off *row = bp_bake_off_find(name);
  bp_system_options options = {.row = row, .space = bp_bake_off_space(row, degree)};
  CU_ASSERT_FATAL(bp_system_create(options, mesh, &w.system) == BP_OK);
  w.f = bp_alloc((size_t)bp_system_size(w.system), sizeof *w.f);
  w.x = bp_alloc((size_t)bp_system_size(w.system), sizeof *w.x);
  bp_load_create(w.system, BP_LOAD_MANUFACTURED, w.f);
  return w;
}

static void whole_destroy(whole *w)
{
  bp_system_destroy(w->system);
  bp_free(w->f);
  bp_free(w->x);
}

/* `variant` is a name, options may follow it. */
static bp_status whole_solve(whole *w, const bp_backend *backend, uint64_t seed,
                             const char *variant, int iterations)
{
  const int length = (int)strcspn(variant, " ");
  const bp_device_options options = {.seed = seed, .threads = 3};
  bp_scheme_once run = {.iterations = iterations, .residuals = w->residuals};
  bp_device *device = NULL;
  char id[64];
  snprintf(id, sizeof id, "%s/%.*s", w->system->row->kernels, length, variant);
  bp_choice choice = bp_choice_standard(bp_variant_find(id, backend->language));
  CU_ASSERT_FATAL(choice.variant && !bp_choice_set_all(&choice, variant + length) &&
                  !bp_device_create(backend, &options, &device));
  bp_status status = bp_scheme_solve(device, &choice, w->system, w->f, w->x, &run);
  bp_device_destroy(device);
  return status;
}

static double norm_of(const double *x, int64_t count)
{
  return sqrt(bp_system_dot(count, x, x));
}

/* How far 100 iterations are from the textbook's. The true residual is what the literal operator gives, and
 * an x that the residuals do not belong to is told. */
static void check_hundred(const bp_backend *backend, const int n[3], const char *name,
                          const char *variant, int degree)
{
  enum { HUNDRED = 100 };
  bp_mesh *mesh = NULL;
  bp_cg_result book;
  bp_outcome outcome;
  double residual = 0, far = 0, largest = 0;
  CU_ASSERT_FATAL(bp_mesh_box(n[0], n[1], n[2], 0.2, &mesh) == BP_OK);
  whole w = whole_create(mesh, name, degree);
  int64_t size = bp_system_size(w.system), wrong = 0;
  double *x = bp_alloc((size_t)size, sizeof *x);
  bp_cg_solve(w.system, (bp_cg_options){.iterations = HUNDRED}, w.f, x, &book);
  CHECK(whole_solve(&w, backend, 3, variant, HUNDRED) == BP_OK, "%s", bp_message());
  for (int k = 0; k <= HUNDRED; ++k)
    residual = fmax(residual, fabs(w.residuals[k] - book.residuals[k]) / book.residuals[0]);
  for (int64_t i = 0; i < size; ++i) {
    wrong += !isfinite(w.x[i]);
    far = fmax(far, fabs(w.x[i] - x[i]));
    largest = fmax(largest, fabs(x[i]));
  }
  CHECK(wrong == 0 && residual < 1e-12 && far < 1e-10 * largest, "%s/%s: residuals %.2g, x %.2g",
        name, variant, residual, far / largest);
  CHECK(bp_outcome_of(w.system, w.f, w.x, HUNDRED, w.residuals, &outcome) == BP_OK, "%s",
        bp_message());
  bp_system_apply(w.system, w.x, x);
  for (int64_t i = 0; i < size; ++i)
    x[i] = w.f[i] - x[i];
  double exact = norm_of(x, size) / norm_of(w.f, size);
  CHECK(fabs(outcome.true_residual - exact) < 1e-15, "%g and %g", outcome.true_residual, exact);
  w.x[0] += (w.system->problem->op->components == 1 ? 1e-3 : 1e-6) * largest; /* has little mass */
  CU_ASSERT(bp_outcome_of(w.system, w.f, w.x, HUNDRED, w.residuals, &outcome) == BP_WRONG);
  CU_ASSERT(outcome.true_residual > 1.1 * exact);
  bp_cg_result_destroy(&book);
  bp_free(x);
  whole_destroy(&w);
  bp_mesh_destroy(mesh);
}

TEST(scheme, hundred_iterations_stay_near_the_textbook)
{
  check_hundred(&bp_backend_cpu, (int[3]){4, 4, 3}, "bp1", "one-pass", 3);
  check_hundred(&bp_backend_cpu, (int[3]){4, 3, 3}, "bp2", "two-pass", 4);
  check_hundred(&bp_backend_cpu, (int[3]){4, 4, 3}, "bp3", "one-pass", 4);
  check_hundred(&bp_backend_cpu, (int[3]){4, 3, 3}, "bp6", "one-pass", 4);
  check_hundred(&bp_backend_cpu, (int[3]){4, 4, 3}, "bp5", "two-pass", 5);
  check_hundred(&bp_backend_cpu, (int[3]){4, 3, 3}, "bp4", "two-pass", 4);
  check_hundred(&bp_backend_cpu, (int[3]){4, 4, 3}, "bp5", "one-pass", 5);
  check_hundred(&bp_backend_cpu, (int[3]){4, 3, 3}, "bp4", "one-pass", 4);
  check_hundred(&bp_backend_cpu, (int[3]){4, 4, 3}, "bp5", "one-pass-ranks", 5);
  check_hundred(&bp_backend_cpu, (int[3]){4, 3, 3}, "bp4", "one-pass-ranks", 4);
  check_hundred(&bp_backend_emulate, (int[3]){3, 2, 1}, "bp3", "two-kernel", 2);
  check_hundred(&bp_backend_emulate, (int[3]){3, 2, 1}, "bp3", "merged", 2);
  check_hundred(&bp_backend_emulate, (int[3]){3, 2, 1}, "bp3", "predicted", 2);
}

/* As many of ten solves as differ from the first in some bit or fail. */
static int differing(const bp_backend *backend, const char *name, const char *variant, int degree,
                     int iterations)
{
  enum { SOLVES = 10 };
  bp_mesh *mesh = NULL;
  int differ = 0;
  CU_ASSERT_FATAL(bp_mesh_box(degree > 2 ? 3 : 5, degree > 2 ? 1 : 2, 2, 0.2, &mesh) == BP_OK);
  whole w = whole_create(mesh, name, degree);
  size_t bytes = (size_t)bp_system_size(w.system) * sizeof *w.x;
  double *first = bp_alloc(1, bytes);
  for (int n = 0; n < SOLVES; ++n) {
    bp_status status = whole_solve(&w, backend, (uint64_t)n + 1, variant, iterations);
    if (n == 0)
      memcpy(first, w.x, bytes);
    differ += status || memcmp(first, w.x, bytes) != 0;
  }
  bp_free(first);
  whole_destroy(&w);
  bp_mesh_destroy(mesh);
  return differ;
}

/* Each in another order of blocks and of threads. Atomic sums depend on it. */
TEST(scheme, ten_solves_agree_in_every_bit)
{
  static const char *const host[] = {"one-pass", "one-pass-ranks", "two-pass", "unfused",
                                     "assembled"};
  static const struct {
    const char *name, *variant;
    int degree;
  } gpu[] = {{"bp1", "two-kernel", 2}, {"bp4", "two-kernel", 2},     {"bp5", "two-kernel", 2},
             {"bp2", "merged", 2},     {"bp3", "merged", 2},         {"bp6", "merged", 2},
             {"bp5", "unfused", 2},    {"bp3", "predicted", 2},      {"bp1", "assembled", 1},
             {"bp4", "assembled", 1},  {"bp5", "two-kernel-mma", 7}, {"bp3", "two-kernel-mma", 7}};
  for (int row = 0; row < BP_BAKE_OFFS; ++row)
    for (int n = 0; n < 5; ++n)
      CHECK(differing(&bp_backend_cpu, bp_bake_offs[row].name, host[n], 2, 30) == 0, "%s/%s",
            bp_bake_offs[row].name, host[n]);
  for (size_t n = 0; n < sizeof gpu / sizeof *gpu; ++n)
    CHECK(differing(&bp_backend_emulate, gpu[n].name, gpu[n].variant, gpu[n].degree, 3) == 0,
          "%s/%s", gpu[n].name, gpu[n].variant);
  CU_ASSERT(differing(&bp_backend_emulate, "bp5", "two-kernel atomic=1", 2, 4) > 0);
}

/* The error in L2 on a warped box of n^3 elements that are turned at random. */
static double error_on(int n, const char *name, int degree)
{
  enum { ENOUGH = 400 };
  bp_random random = bp_random_start(1);
  bp_mesh *mesh = test_box((int[3]){n, n, n}, 1, test_warp);
  test_rotate_all(mesh, &random);
  whole w = whole_create(mesh, name, degree);
  CHECK(whole_solve(&w, &bp_backend_cpu, 1, "two-pass", ENOUGH) == BP_OK, "%s", bp_message());
  CHECK(w.residuals[ENOUGH] < 1e-7 * w.residuals[0], "%s N=%d: residual %.2g", name, degree,
        w.residuals[ENOUGH] / w.residuals[0]);
  double error = bp_load_compare(w.system, w.x).error;
  whole_destroy(&w);
  test_box_destroy(mesh);
  return error;
}

TEST(scheme, converges_with_order_N_plus_1)
{
  static const int coarse[] = {0, 5, 4, 3};
  for (int row = 0; row < BP_BAKE_OFFS; ++row)
    for (int degree = 1; degree <= 3; ++degree) {
      const char *name = bp_bake_offs[row].name;
      double error = error_on(coarse[degree], name, degree);
      double order = log2(error / error_on(2 * coarse[degree], name, degree));
      CHECK(fabs(order - (degree + 1)) < 0.35, "%s N=%d: order %.2f", name, degree, order);
    }
}
