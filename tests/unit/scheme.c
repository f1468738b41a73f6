/* scheme.c -- tests of solves by kernels: on the emulator, against the textbook's conjugate gradients. */
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "solve/cg.h"
#include "solve/load.h"
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
  bp_system_options options = {
      .row = bp_bake_off_find(name), .degree = degree, .lambda = degree % 2 ? 0.3 : 0};
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
      for (int degree = 2 - (n < 2 && b == 0); degree <= 5; ++degree)
        check_on(&bp_backend_cpu, boxes[b], names[n], "two-pass", degree);
  bp_mesh_destroy(boxes[0]);
  bp_mesh_destroy(boxes[1]);
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

TEST(scheme, tensor_cores_too)
{
  check_row("bp5", "two-kernel-mma", 7);
  check_row("bp3", "two-kernel-mma", 7);
}
