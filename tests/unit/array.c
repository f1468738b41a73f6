/* array.c -- tests of guards, poison and inputs that no kernel may write, on the CPU: kernels here are this
 * file's texts. */
#include "gpu_bench.h"
#include "registry/operand.h"
#include "test.h"

enum { SCRATCH = 100 };

static bp_device *open_cpu(void)
{
  const bp_device_options options = {.threads = 2};
  bp_device *device = NULL;
  CU_ASSERT_EQUAL_FATAL(bp_device_create(&bp_backend_cpu, &options, &device), BP_OK);
  return device;
}

/* ---- arrays ---- */

/* Items need not fill whole doubles. */
TEST(array, tells_what_was_written_beside_it)
{
  static const int32_t values[5] = {1, 2, 3, 4, 5};
  static const struct {
    int at;
    const char *words;
  } cases[] = {{-1, "wrote outside it, at index -1 of 5"},
               {5, "wrote outside it, at index 5 of 5"}};
  bp_device *device = open_cpu();
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_array a;
    CU_ASSERT_EQUAL_FATAL(bp_array_create(device, "it", 5, sizeof *values, true, &a), BP_OK);
    CU_ASSERT_EQUAL(bp_array_write(device, &a, values), BP_OK);
    CHECK(bp_array_check(device, &a) == BP_OK, "%s", bp_message());
    int32_t *items = device->backend->map(device, a.data);
    items[cases[n].at] = 7;
    CU_ASSERT_EQUAL(bp_array_check(device, &a), BP_WRONG);
    CU_ASSERT_STRING_EQUAL(bp_message(), cases[n].words);
    CU_ASSERT_EQUAL(bp_array_check(device, &a), BP_OK); /* whole again */
    bp_array_destroy(device, &a);
  }
  bp_device_destroy(device);
}

TEST(array, is_compared_and_made_whole)
{
  static const double values[3] = {1, 2, 3};
  bp_device *device = open_cpu();
  bp_array a;
  double read[3];
  CU_ASSERT_EQUAL_FATAL(bp_array_create(device, "it", 3, sizeof *values, true, &a), BP_OK);
  CU_ASSERT_EQUAL(bp_array_write(device, &a, values), BP_OK);
  CU_ASSERT_EQUAL(bp_array_compare(device, &a, values), BP_OK);
  ((double *)device->backend->map(device, a.data))[2] = 4;
  CU_ASSERT_EQUAL(bp_array_compare(device, &a, values), BP_WRONG);
  CU_ASSERT_STRING_EQUAL(bp_message(), "wrote to it, at index 2 of 3");
  CU_ASSERT_EQUAL(bp_array_read(device, &a, read), BP_OK);
  CU_ASSERT(memcmp(read, values, sizeof read) == 0);
  CU_ASSERT_EQUAL(bp_array_poison(device, &a), BP_OK);
  CU_ASSERT_EQUAL(bp_array_read(device, &a, read), BP_OK);
  CU_ASSERT(isnan(read[0]) && isnan(read[2]));
  CU_ASSERT_EQUAL(bp_array_check(device, &a), BP_OK);
  bp_array_destroy(device, &a);
  bp_device_destroy(device);
}

/* Floats on the device are doubles on the host. */
TEST(array, narrow_items_are_converted)
{
  static const double values[3] = {1, 0.1, -3};
  bp_device *device = open_cpu();
  bp_array a;
  double read[3];
  CU_ASSERT_EQUAL_FATAL(bp_array_create(device, "it", 3, sizeof(float), true, &a), BP_OK);
  a.is_narrow = true;
  CU_ASSERT_EQUAL(bp_array_write(device, &a, values), BP_OK);
  CU_ASSERT_EQUAL(bp_array_compare(device, &a, values), BP_OK);
  CU_ASSERT_EQUAL(bp_array_read(device, &a, read), BP_OK);
  CU_ASSERT(read[0] == 1 && read[1] == 0.1f && read[2] == -3);
  ((float *)device->backend->map(device, a.data))[1] += 1e-7f;
  CU_ASSERT_EQUAL(bp_array_compare(device, &a, values), BP_WRONG);
  CU_ASSERT_STRING_EQUAL(bp_message(), "wrote to it, at index 1 of 3");
  CU_ASSERT_EQUAL(bp_array_check(device, &a), BP_OK);
  bp_array_destroy(device, &a);
  bp_device_destroy(device);
}

/* ---- kernels ---- */

#define KERNEL(what)                                                                               \
  "#include \"abi/cpu.h\"\n"                                                                       \
  "BP_KERNEL\n{\n"                                                                                 \
  "  double kept = a->v[77];\n"                                                                    \
  "  for (int64_t n = 64 * first; n < 64 * last; ++n)\n"                                           \
  "    a->v[n] = 2 * a->u[n];\n"                                                                   \
  "  (void)kept;\n"                                                                                \
  "  " what ";\n}\n"

static const char doubles[] = KERNEL("");
static const char all_but_77[] = KERNEL("if (first <= 1 && last > 1) a->v[77] = kept");

/* A mistake, made by the thread of the first element. */
#define MISTAKE(what) KERNEL("if (first == 0) " what " = 1")

typedef struct {
  bp_variant_text text;
  bp_variant variant;
} cpu_kernel;

static bp_choice choice_of(cpu_kernel *k, const char *source)
{
  static char factors[] = "eckji", scratch[] = "100";
  *k = (cpu_kernel){
      .text = {.id = "bp1.0/made-up", .file = "kernels/bp1.0/made-up.c", .source = source}};
  k->variant = (bp_variant){.text = &k->text,
                            .id = k->text.id,
                            .problem = "bp1.0",
                            .lowest = 1,
                            .highest = TEST_DEGREE,
                            .factors = factors,
                            .scratch = scratch};
  k->variant.operands_count =
      bp_operands_parse(BP_OPERANDS_STANDARD, k->variant.operands, BP_VARIANT_OPERANDS_MAX);
  return bp_choice_standard(&k->variant);
}

static bp_plan *plan_of(test_bench *b, cpu_kernel *k, const char *source)
{
  bp_plan *plan = NULL;
  const bp_choice choice = choice_of(k, source);
  CHECK(bp_plan_create(b->workspace, &choice, &plan) == BP_OK, "%s", bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
  return plan;
}

/* Each must be found, with words that tell where, and leave the next one alone. */
TEST(array, kernels_of_the_cpu_are_watched)
{
  static const struct {
    const char *kernel, *words;
  } cases[] = {
      {MISTAKE("a->v[640]"), "wrote outside v, at index 640 of 640"},
      {MISTAKE("a->v[-1]"), "wrote outside v, at index -1 of 640"},
      {MISTAKE("((double *)a->u)[645]"), "wrote outside u, at index 645 of 640"},
      {MISTAKE("((double *)a->u)[5]"), "wrote to u, at index 5 of 640"},
      {MISTAKE("((double *)a->I)[3]"), "wrote to I, at index 3 of 20"},
      {MISTAKE("((double *)a->D)[25]"), "wrote outside D, at index 25 of 25"},
      {MISTAKE("((double *)a->factors)[130]"), "wrote to the factors, at index 130 of 1250"},
      {MISTAKE("((double *)a->factors)[-3]"), "wrote outside the factors, at index -3 of 1250"},
      {MISTAKE("a->scratch[-1]"),
       "wrote outside scratch, at index -1 of 208"}, /* of both threads */
  };
  test_bench b;
  test_bench_on(open_cpu(), &b);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    cpu_kernel bad, good;
    bp_plan *plan = plan_of(&b, &bad, cases[n].kernel);
    CU_ASSERT_EQUAL(bp_workspace_poison(b.workspace), BP_OK);
    CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_OK);
    CHECK(bp_workspace_guards(b.workspace) == BP_WRONG, "not found: %s", cases[n].words);
    CHECK(strcmp(bp_message(), cases[n].words) == 0, "expected '%s', found '%s'", cases[n].words,
          bp_message());
    bp_plan_destroy(plan);
    plan = plan_of(&b, &good, doubles);
    test_bench_doubles(&b, plan);
    bp_plan_destroy(plan);
  }
  test_bench_destroy(&b);
}

TEST(array, poison_shows_what_a_kernel_left)
{
  test_bench b;
  cpu_kernel k;
  test_bench_on(open_cpu(), &b);
  bp_plan *plan = plan_of(&b, &k, all_but_77);
  CU_ASSERT_EQUAL(bp_workspace_poison(b.workspace), BP_OK);
  CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_OK);
  CU_ASSERT_EQUAL(bp_workspace_read(b.workspace, b.v), BP_OK);
  CU_ASSERT(isnan(b.v[77]) && b.v[76] == 2 * b.u[76] && b.v[78] == 2 * b.u[78]);
  bp_plan_destroy(plan);
  test_bench_destroy(&b);
}

/* A plan that is gone has no scratch left to be looked at. */
TEST(array, scratch_goes_with_its_plan)
{
  test_bench b;
  cpu_kernel k[3];
  bp_plan *plans[3];
  test_bench_on(open_cpu(), &b);
  for (int n = 0; n < 3; ++n)
    plans[n] = plan_of(&b, &k[n], doubles);
  bp_plan_destroy(plans[1]);
  test_bench_doubles(&b, plans[0]);
  bp_plan_destroy(plans[0]);
  test_bench_doubles(&b, plans[2]);
  bp_plan_destroy(plans[2]);
  CU_ASSERT_PTR_NULL(b.workspace->plans);
  test_bench_destroy(&b);
}

TEST(array, a_cold_application_follows_a_flush_of_the_caches)
{
  test_bench b;
  cpu_kernel k;
  double seconds = 0;
  test_bench_on(open_cpu(), &b);
  bp_plan *plan = plan_of(&b, &k, doubles);
  CU_ASSERT_PTR_NULL(b.device->flush);
  CHECK(bp_plan_time(plan, 1, true, &seconds) == BP_OK, "%s", bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(b.device->flush);
  CU_ASSERT(8 * b.device->flush->doubles >= 2 * b.device->cache_bytes);
  CHECK(seconds > 1e-8 && seconds < 1, "%g seconds", seconds);
  test_bench_doubles(&b, plan);
  bp_plan_destroy(plan);
  test_bench_destroy(&b);
}
