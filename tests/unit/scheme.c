/* scheme.c -- tests of whole solves by kernels; `bp check` compares iterations with the textbook. */
#include "test.h"

#include "base/memory.h"
#include "solve/cg.h"
#include "solve/inner_products.h"
#include "solve/load.h"
#include "solve/outcome.h"
#include "solve/scheme.h"
#include <math.h>

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
  check_hundred(&bp_backend_cpu, (int[3]){4, 3, 3}, "bp2", "unfused", 4);
  check_hundred(&bp_backend_cpu, (int[3]){4, 4, 3}, "bp3", "one-pass", 4);
  check_hundred(&bp_backend_cpu, (int[3]){4, 3, 3}, "bp6", "one-pass", 4);
  check_hundred(&bp_backend_cpu, (int[3]){4, 4, 3}, "bp5", "unfused", 5);
  check_hundred(&bp_backend_cpu, (int[3]){4, 3, 3}, "bp4", "unfused", 4);
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
  static const char *const host[] = {"one-pass", "one-pass-ranks", "unfused", "assembled"};
  static const struct {
    const char *name, *variant;
    int degree;
  } gpu[] = {{"bp1", "two-kernel", 2}, {"bp4", "two-kernel", 2},     {"bp5", "two-kernel", 2},
             {"bp2", "merged", 2},     {"bp3", "merged", 2},         {"bp6", "merged", 2},
             {"bp5", "unfused", 2},    {"bp3", "predicted", 2},      {"bp1", "assembled", 1},
             {"bp4", "assembled", 1},  {"bp5", "two-kernel-mma", 7}, {"bp3", "two-kernel-mma", 7}};
  for (int row = 0; row < BP_BAKE_OFFS; ++row)
    for (int n = 0; n < 4; ++n)
      CHECK(differing(&bp_backend_cpu, bp_bake_offs[row].name, host[n], 2, 30) == 0, "%s/%s",
            bp_bake_offs[row].name, host[n]);
  for (size_t n = 0; n < sizeof gpu / sizeof *gpu; ++n)
    CHECK(differing(&bp_backend_emulate, gpu[n].name, gpu[n].variant, gpu[n].degree, 3) == 0,
          "%s/%s", gpu[n].name, gpu[n].variant);
  CU_ASSERT(differing(&bp_backend_emulate, "bp5", "two-kernel atomic=1", 2, 4) > 0);
}
