/* cuda.c -- tests of the cuda backend with kernels made up here: guards, limits, failures,
 * recovery, graphs. */
#include "gpu_bench.h"
#include "test.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static const char twice[] = "  v[n] = 2 * u[n];";

TEST(cuda, applies_and_tells_details)
{
  test_bench b;
  test_kernel m;
  if (!test_bench_create(&b, false))
    return;
  bp_choice choice = test_kernel_choice(&m, "doubled", twice, "64", "0");
  bp_plan *plan = NULL;
  CHECK(bp_plan_create(b.workspace, &choice, &plan) == BP_OK && plan, "%s", bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
  test_bench_doubles(&b, plan);
  CU_ASSERT(plan->details.registers > 0 && plan->details.registers < 64);
  CU_ASSERT_EQUAL(plan->details.spill_bytes, 0);
  CU_ASSERT(plan->details.code_bytes > 0);
  CU_ASSERT_EQUAL(plan->details.threads, 64);
  CU_ASSERT_EQUAL(plan->details.blocks, TEST_ELEMENTS);
  CU_ASSERT(plan->details.blocks_per_sm > 1);
  double seconds = 0;
  CU_ASSERT_EQUAL(bp_plan_time(plan, 100, false, &seconds), BP_OK);
  CHECK(seconds > 1e-8 && seconds < 1e-3, "%g seconds", seconds);
  bp_plan_destroy(plan);
  test_kernel_destroy(&m);
  test_bench_destroy(&b);
}

/* Copies of a worker go by way of memory that is locked; in this process they do not. */
TEST(cuda, workers_copy_by_locked_memory)
{
  if (!test_gpu_is_pretended())
    return;
  setenv("FAKE_CUDA_PINNED", "1", 1);
  for (int in_process = 0; in_process < 2; ++in_process) {
    setenv("BP_CUDA_IN_PROCESS", in_process ? "1" : "0", 1);
    bp_device *device = test_gpu_open(false);
    bp_array array = {0};
    double value = 3, back = 0;
    bool is_there = device && !bp_array_create(device, "an array", 1, sizeof value, false, &array);
    if (is_there) {
      CU_ASSERT((bp_array_write(device, &array, &value) != BP_OK) == in_process);
      CU_ASSERT((bp_array_read(device, &array, &back) != BP_OK) == in_process);
      CU_ASSERT(in_process || back == value);
    }
    bp_array_destroy(device, &array);
    bp_device_destroy(device);
  }
  unsetenv("BP_CUDA_IN_PROCESS");
  unsetenv("FAKE_CUDA_PINNED");
}

/* As bulk copies do. */
TEST(cuda, one_double_behind_an_array_may_be_read)
{
  test_bench b;
  if (!test_bench_create(&b, false))
    return;
  bp_array array;
  double values[33];
  CU_ASSERT_EQUAL(bp_array_create(b.device, "an array", 32, sizeof *values, false, &array), BP_OK);
  bp_array more = array;
  more.count = 33;
  CHECK(bp_array_read(b.device, &more, values) == BP_OK, "%s", bp_message());
  bp_array_destroy(b.device, &array);
  test_bench_destroy(&b);
}

TEST(cuda, poison_shows_what_is_not_written)
{
  test_bench b;
  test_kernel m;
  if (!test_bench_create(&b, false))
    return;
  bp_choice choice =
      test_kernel_choice(&m, "all_but_77", "  if (n != 77) v[n] = 2 * u[n];", "64", "0");
  bp_plan *plan = NULL;
  CU_ASSERT_EQUAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
  CU_ASSERT_EQUAL(bp_workspace_poison(b.workspace), BP_OK);
  CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_OK);
  CU_ASSERT_EQUAL(bp_workspace_read(b.workspace, b.v), BP_OK);
  CU_ASSERT(isnan(b.v[77]) && b.v[76] == 2 * b.u[76] && b.v[78] == 2 * b.u[78]);
  bp_plan_destroy(plan);
  test_kernel_destroy(&m);
  test_bench_destroy(&b);
}

/* Each must be found, with words that tell where, and leave the next one alone. */
TEST(cuda, finds_what_kernels_do_beside_their_arrays)
{
  static const struct {
    const char *kernel, *body, *words;
  } cases[] = {
      {"beyond_v", "  v[n] = 2 * u[n]; if (n == 0) v[640] = 1;", "outside v, at index 640"},
      {"before_v", "  v[n] = 2 * u[n]; if (n == 0) v[-1] = 1;", "outside v, at index -1"},
      {"beyond_u", "  v[n] = 2 * u[n]; if (n == 0) ((double *)u)[645] = 1;",
       "outside u, at index 645"},
      {"into_u", "  v[n] = 2 * u[n]; if (n == 0) ((double *)u)[5] = 1;", "wrote to u, at index 5"},
      {"beyond_D", "  v[n] = 2 * u[n]; if (n == 0) ((double *)D)[25] = 1;",
       "outside D, at index 25"},
      {"before_factors", "  v[n] = 2 * u[n]; if (n == 0) ((double *)factors)[-3] = 1;",
       "outside the factors, at index -3"},
      {"beyond_scratch", "  v[n] = 2 * u[n]; if (n == 0) scratch[100] = 1;",
       "outside scratch, at index 100"},
  };
  test_bench b;
  if (!test_bench_create(&b, false))
    return;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    test_kernel bad, good;
    bp_choice choice = test_kernel_choice(&bad, cases[n].kernel, cases[n].body, "64", "0");
    bad.variant.scratch = (char *)"100";
    bp_plan *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_OK);
    CU_ASSERT_EQUAL(bp_workspace_guards(b.workspace), BP_WRONG);
    CHECK(strstr(bp_message(), cases[n].words), "expected '%s', found '%s'", cases[n].words,
          bp_message());
    bp_plan_destroy(plan);
    choice = test_kernel_choice(&good, "doubled", twice, "64", "0");
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    test_bench_doubles(&b, plan);
    bp_plan_destroy(plan);
    test_kernel_destroy(&bad);
    test_kernel_destroy(&good);
  }
  test_bench_destroy(&b);
}

TEST(cuda, a_kernel_that_goes_astray_takes_no_other_with_it)
{
  static const struct {
    const char *kernel, *body, *words;
  } cases[] = {
      {"astray", "  v[(1ll << 40) + n] = 1;", "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {"endless", "  while (true) *(volatile double *)v = n;", "did not end in time"},
      {"gone", "  __trap();", "bp1.0/made-up failed: "},
  };
  test_bench b;
  setenv("BP_CUDA_PATIENCE", "4", 1);
  if (!test_bench_create(&b, false))
    return;
  test_kernel good;
  bp_choice choice = test_kernel_choice(&good, "doubled", twice, "64", "0");
  bp_plan *keeper = NULL, *copy = NULL;
  double seconds = 0;
  CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &keeper), BP_OK);
  CU_ASSERT_EQUAL_FATAL(bp_copy_create(b.device, 1 << 20, false, &copy), BP_OK);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    test_kernel bad;
    bp_plan *plan = NULL;
    choice = test_kernel_choice(&bad, cases[n].kernel, cases[n].body, "64", "0");
    CHECK(bp_plan_create(b.workspace, &choice, &plan) == BP_OK, "%s", bp_message());
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_WRONG);
    CHECK(strstr(bp_message(), cases[n].words) &&
              strstr(bp_message(), "the device was started anew"),
          "expected '%s', found '%s'", cases[n].words, bp_message());
    test_bench_doubles(&b, keeper);
    CHECK(bp_plan_time(copy, 2, n == 1, &seconds) == BP_OK, "%s", bp_message());
    bp_plan_destroy(plan);
    test_kernel_destroy(&bad);
  }
  unsetenv("BP_CUDA_PATIENCE");
  bp_plan_destroy(keeper);
  bp_plan_destroy(copy);
  test_kernel_destroy(&good);
  test_bench_destroy(&b);
}

/* As on a device: the kernel's call is well, a later one tells of its error. */
TEST(cuda, an_error_that_comes_late_takes_no_other_with_it)
{
  test_bench b;
  if (!test_gpu_is_pretended() || !test_bench_create(&b, false))
    return;
  for (int n = 0; n < 2; ++n) {
    test_kernel bad, good;
    bp_plan *plan = NULL;
    bp_workspace *other = NULL;
    bp_choice choice = test_kernel_choice(&bad, "late", twice, "64", "0");
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_OK);
    bp_plan_destroy(plan);
    choice = test_kernel_choice(&good, "doubled", twice, "64", "0");
    if (n == 0) {
      CHECK(bp_workspace_create(b.device, b.problem, true, &other) == BP_OK, "%s", bp_message());
    } else {
      good.variant.scratch = (char *)"100";
      CU_ASSERT_EQUAL(bp_plan_create(b.workspace, &choice, &plan), BP_ENVIRONMENT);
      CHECK(strstr(bp_message(), "CUDA_ERROR_ILLEGAL_ADDRESS"), "%s", bp_message());
    }
    CHECK(bp_plan_create(b.workspace, &choice, &plan) == BP_OK, "%s", bp_message());
    test_bench_doubles(&b, plan);
    bp_plan_destroy(plan);
    bp_workspace_destroy(other);
    test_kernel_destroy(&bad);
    test_kernel_destroy(&good);
  }
  test_bench_destroy(&b);
}

TEST(cuda, what_cannot_run_says_why)
{
  static const struct {
    const char *body, *threads, *shared, *words;
  } cases[] = {
      {twice, "2048", "0", "2048 threads"},
      {twice, "0", "0", "0 threads"},
      {twice, "64", "1000000", "1000000 bytes of shared memory"},
      {"  BP_SHARED(double, s, [8000]); s[n] = u[n]; v[n] = s[n + 1];", "64", "0",
       "64000 bytes of static shared"},
  };
  test_bench b;
  if (!test_bench_create(&b, false))
    return;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    test_kernel m;
    bp_choice choice =
        test_kernel_choice(&m, "doubled", cases[n].body, cases[n].threads, cases[n].shared);
    bp_plan *plan = NULL;
    bp_status status = bp_plan_create(b.workspace, &choice, &plan);
    CHECK(status == BP_SKIPPED && !plan && strstr(bp_message(), cases[n].words),
          "expected '%s', found status %d, '%s'", cases[n].words, status, bp_message());
    test_kernel_destroy(&m);
  }
  test_bench_destroy(&b);
}

TEST(cuda, a_kernel_with_too_many_registers_for_its_threads_says_so)
{
  test_bench b;
  test_kernel m;
  if (!test_gpu_is_pretended() || !test_bench_create(&b, false))
    return;
  bp_choice choice = test_kernel_choice(&m, "heavy", twice, "64", "0");
  bp_plan *plan = NULL;
  CU_ASSERT(bp_plan_create(b.workspace, &choice, &plan) == BP_SKIPPED && !plan);
  CU_ASSERT_STRING_EQUAL(
      bp_message(),
      "heavy needs 64 threads of 16 registers per block; this device allows 32 threads");
  test_kernel_destroy(&m);
  test_bench_destroy(&b);
}

TEST(cuda, shared_memory_beyond_48_kilobytes)
{
  test_bench b;
  test_kernel m;
  if (!test_bench_create(&b, false))
    return;
  int64_t most = bp_cuda_device_info(b.device)->shared_per_block;
  char shared[32];
  snprintf(shared, sizeof shared, "%lld", (long long)most);
  bp_choice choice = test_kernel_choice(&m, "roomy",
                                        "  BP_DYNAMIC_SHARED(double, s);\n"
                                        "  s[6143 + bp_thread()] = u[n];\n"
                                        "  BP_BARRIER();\n"
                                        "  v[n] = 2 * s[6143 + bp_thread()];",
                                        "64", shared);
  bp_plan *plan = NULL;
  CHECK(bp_plan_create(b.workspace, &choice, &plan) == BP_OK && plan, "%s", bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
  CU_ASSERT_EQUAL(plan->details.shared_bytes, most);
  CU_ASSERT_EQUAL(plan->details.blocks_per_sm, 1);
  test_bench_doubles(&b, plan);
  bp_plan_destroy(plan);
  test_kernel_destroy(&m);
  test_bench_destroy(&b);
}

TEST(cuda, graphs_do_the_same_and_cost_less)
{
  double seconds[2] = {0};
  for (int graph = 0; graph < 2; ++graph) {
    test_bench b;
    test_kernel m;
    if (!test_bench_create(&b, graph))
      return;
    bp_choice choice = test_kernel_choice(&m, "doubled", twice, "64", "0");
    bp_plan *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    for (int n = 0; n < 5; ++n) {
      double sample = 0;
      CHECK(bp_plan_time(plan, 300, false, &sample) == BP_OK, "%s", bp_message());
      seconds[graph] = n == 0 || sample < seconds[graph] ? sample : seconds[graph];
    }
    test_bench_doubles(&b, plan);
    bp_plan_destroy(plan);
    test_kernel_destroy(&m);
    test_bench_destroy(&b);
  }
  if (test_gpu_is_pretended())
    return;
  printf("(%.2f us launched, %.2f us replayed) ", 1e6 * seconds[0], 1e6 * seconds[1]);
  CU_ASSERT(seconds[1] > 1e-7 && seconds[1] < 1.2 * seconds[0]);
}

/* The pretended GPU's clock counts launches. */
TEST(cuda, a_loop_longer_than_a_graph_is_replayed_in_parts)
{
  enum { ITERATIONS = 150000 };
  double seconds[2] = {0};
  for (int graph = 0; graph < 2; ++graph) {
    test_bench b;
    test_kernel m;
    if (!test_gpu_is_pretended() || !test_bench_create(&b, graph))
      return;
    bp_choice choice = test_kernel_choice(&m, "doubled", twice, "64", "0");
    bp_plan *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    plan->iterations = ITERATIONS;
    plan->device->launches = !graph;
    CHECK(bp_plan_time(plan, 1, false, &seconds[graph]) == BP_OK, "%s", bp_message());
    bp_plan_destroy(plan);
    test_kernel_destroy(&m);
    test_bench_destroy(&b);
  }
  CHECK(fabs(seconds[1] / seconds[0] - 1) < 1e-6 && seconds[0] > 1.999e-6 * ITERATIONS, "%g, %g s",
        seconds[0], seconds[1]);
}

static void on_alarm(int signal)
{
  (void)signal;
}

TEST(cuda, signals_do_not_look_like_failures)
{
  const struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
  struct sigaction action = {.sa_handler = on_alarm}, before; /* without SA_RESTART */
  test_bench b;
  test_kernel m;
  if (!test_bench_create(&b, false))
    return;
  bp_choice choice = test_kernel_choice(&m, "doubled", twice, "64", "0");
  bp_plan *plan = NULL;
  double seconds = 0;
  CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &often, NULL);
  bp_status status = BP_OK;
  for (int n = 0; n < 300 && !status; ++n)
    status = bp_plan_time(plan, 100, false, &seconds);
  setitimer(ITIMER_REAL, &never, NULL);
  sigaction(SIGALRM, &before, NULL);
  CHECK(status == BP_OK, "%s", bp_message());
  test_bench_doubles(&b, plan);
  bp_plan_destroy(plan);
  test_kernel_destroy(&m);
  test_bench_destroy(&b);
}
