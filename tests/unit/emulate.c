/* emulate.c -- tests of the emulator as a backend; what it finds in kernels: tests/cli/emulate.sh. */
#include "device/emulate/emulate.h"
#include "base/memory.h"
#include "fem/reference.h"
#include "measure/verify.h"
#include "space.h"
#include "test.h"
#include <stdbool.h>

enum { ELEMENTS = 3 };

typedef struct {
  bp_device *device;
  bp_problem *problem;
  bp_workspace *workspace;
  double *u, *v, *reference;
} bench;

static bench bench_create(const char *problem, int degree, uint64_t seed)
{
  bench b;
  bp_device_options options = {.seed = seed};
  bp_problem_random(bp_operator_find(problem), space_of(problem, degree), 1, ELEMENTS, 5,
                    &b.problem);
  size_t dofs = (size_t)bp_problem_dofs(b.problem);
  b.u = bp_alloc(dofs, sizeof *b.u);
  b.v = bp_alloc(dofs, sizeof *b.v);
  b.reference = bp_alloc(dofs, sizeof *b.reference);
  bp_fill(0, 3, b.problem, b.u);
  bp_reference_apply(b.problem, 0, ELEMENTS, b.u, b.reference);
  CU_ASSERT_EQUAL_FATAL(bp_device_create(&bp_backend_emulate, &options, &b.device), BP_OK);
  CU_ASSERT_EQUAL_FATAL(bp_workspace_create(b.device, b.problem, true, &b.workspace), BP_OK);
  CU_ASSERT_EQUAL(bp_workspace_write(b.workspace, b.u), BP_OK);
  return b;
}

static void bench_destroy(bench *b)
{
  bp_workspace_destroy(b->workspace);
  bp_device_destroy(b->device);
  bp_problem_destroy(b->problem);
  bp_free(b->u);
  bp_free(b->v);
  bp_free(b->reference);
}

/* Verifies the variant; returns the sum of the bits of v, 0 when it failed. */
static uint64_t bits_of_result(const char *id, int degree, uint64_t seed)
{
  bp_choice choice = bp_choice_standard(bp_variant_find(id, BP_LANGUAGE_CUDA));
  bench b = bench_create(choice.variant->problem, degree, seed);
  bp_plan *plan = NULL;
  double error;
  uint64_t sum = 0;
  bp_status status = bp_plan_create(b.workspace, &choice, &plan);
  CHECK(!status && plan, "%s", bp_message());
  if (plan) {
    status = bp_verify(plan, b.reference, b.v, &error);
    CHECK(!status, "%s", bp_message());
  }
  for (int64_t n = 0; plan && !status && n < bp_problem_dofs(b.problem); ++n) {
    uint64_t bits;
    memcpy(&bits, &b.v[n], sizeof bits);
    sum = sum * 31 + bits;
  }
  bp_plan_destroy(plan);
  bench_destroy(&b);
  return sum;
}

TEST(emulate, agrees_with_the_reference_in_every_order_of_threads)
{
  const char *ids[] = {"bp1.0/cube", "bp3.0/run-time-sized", "bp3.5/columns"};
  for (size_t n = 0; n < sizeof ids / sizeof *ids; ++n)
    CHECK(bits_of_result(ids[n], 2, 1) == bits_of_result(ids[n], 2, 99), "%s", ids[n]);
}

TEST(emulate, a_launch_that_no_gpu_has_is_no_plan)
{
  bp_choice choice = bp_choice_standard(bp_variant_find("bp1.0/cube", BP_LANGUAGE_CUDA));
  CU_ASSERT_EQUAL(bp_choice_set(&choice, "elements_per_block", 32), BP_OK);
  bench b = bench_create("bp1.0", 7, 1);
  bp_plan *plan;
  CU_ASSERT_EQUAL(bp_plan_create(b.workspace, &choice, &plan), BP_SKIPPED);
  CU_ASSERT_PTR_NULL(plan);
  CHECK(strstr(bp_message(), "threads"), "%s", bp_message());
  bp_plan_destroy(plan);
  bench_destroy(&b);
}

/* A variant with the header of another and a text of its own. */
static bp_status create_with_text(bench *b, const char *source, bp_plan **plan)
{
  bp_variant variant = *bp_variant_find("bp1.0/cube", BP_LANGUAGE_CUDA);
  bp_variant_text text = *variant.text;
  text.source = source;
  text.file = "kernels/bp1.0/mine.cu";
  variant.text = &text;
  bp_choice choice = bp_choice_standard(&variant);
  bp_status status = bp_plan_create(b->workspace, &choice, plan);
  if (!status && *plan) {
    (*plan)->choice.variant = &variant;
    status = bp_plan_apply(*plan);
  }
  return status;
}

TEST(emulate, a_text_that_does_not_compile_is_told_by_its_line)
{
  bench b = bench_create("bp1.0", 1, 1);
  bp_plan *plan = NULL;
  CU_ASSERT_EQUAL(create_with_text(
                      &b, "#include \"abi/gpu.h\"\n\nBP_KERNEL(apply)\n{\n  nonsense;\n}\n", &plan),
                  BP_WRONG);
  CU_ASSERT_PTR_NULL(plan);
  CHECK(strncmp(bp_message(), "kernels/bp1.0/mine.cu:5:", 24) == 0, "%s", bp_message());
  bench_destroy(&b);
}

TEST(emulate, a_launch_line_without_its_kernel_is_told)
{
  bench b = bench_create("bp1.0", 1, 1);
  bp_plan *plan = NULL;
  CU_ASSERT_EQUAL(create_with_text(&b, "#include \"abi/gpu.h\"\n\nBP_KERNEL(other)\n{\n}\n", &plan),
                  BP_WRONG);
  CHECK(strstr(bp_message(), "apply, which is no kernel of this file"), "%s", bp_message());
  bp_plan_destroy(plan);
  bench_destroy(&b);
}

TEST(emulate, a_crash_is_one_failed_line)
{
  bench b = bench_create("bp1.0", 1, 1);
  bp_plan *plan = NULL;
  const char *source = "#include \"abi/gpu.h\"\n\nBP_KERNEL(apply)\n{\n"
                       "  ((double *)0)[bp_thread()] = 1;\n}\n";
  CU_ASSERT_EQUAL(create_with_text(&b, source, &plan), BP_WRONG);
  CHECK(strstr(bp_message(), "mine.cu:5: thread") && strstr(bp_message(), "far from every array"),
        "%s", bp_message());
  bp_plan_destroy(plan);
  bench_destroy(&b);
}

TEST(emulate, the_model_holds_for_the_run_time_sized_twins)
{
  const bp_device_options options = {.seed = 1};
  for (int p = 0; p < BP_OPERATORS; ++p) {
    char id[64];
    snprintf(id, sizeof id, "%s/run-time-sized", bp_operators[p].name);
    bp_choice choice = bp_choice_standard(bp_variant_find(id, BP_LANGUAGE_CUDA));
    for (int degree = 1; degree <= 4; ++degree) {
      const bp_build build = {choice, &bp_operators[p], space_of(bp_operators[p].name, degree)};
      CHECK(bp_emulate_check_model(&options, &build) == BP_OK, "%s N=%d: %s", id, degree,
            bp_message());
    }
  }
}
