/* cuda.c -- tests of the cuda backend on a GPU, with kernels made up here: guards, limits, failures,
 * recovery, graphs, the machine's own limits. They pass over machines without a GPU. */
#include "test.h"

#include "base/memory.h"
#include "kernel/cuda.h"
#include "kernel/nvml.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* The GPU of this machine or, without one, the driver that pretends (tests/fake_cuda). */
static bool is_pretended(void)
{
  static char path[4200];
  if (access("/dev/nvidiactl", F_OK) == 0)
    return false;
  ssize_t length = readlink("/proc/self/exe", path, 4096);
  CU_ASSERT_FATAL(length > 0);
  path[length] = '\0';
  strcpy(strrchr(path, '/'), "/fake/libcuda.so.1");
  setenv("BP_CUDA_DRIVER", path, 1);
  return true;
}

/* NULL where there is no compiler: then these tests are passed over. */
static bp_device *open_device(bool graph)
{
  const bp_device_options options = {.graph = graph};
  bp_device *device = NULL;
  is_pretended();
  bp_status status = bp_device_create(&bp_backend_cuda, &options, &device);
  if (status && strstr(bp_message(), "no libnvrtc"))
    printf("(passed over: %s) ", bp_message());
  else
    CHECK(status == BP_OK, "%s", bp_message());
  return device;
}

/* ---- a bench of made-up kernels for bp1.0 at N = 3 on 10 elements ---- */

enum { DEGREE = 3, ELEMENTS = 10, NODES = 64 * ELEMENTS };

typedef struct {
  bp_device *device;
  bp_problem *problem;
  bp_workspace *workspace;
  double u[NODES], v[NODES];
} bench;

static bool bench_create(bench *b, bool graph)
{
  *b = (bench){.device = open_device(graph)};
  if (!b->device)
    return false;
  bp_problem_random(bp_operator_find("bp1.0"), DEGREE, 0, ELEMENTS, 1, &b->problem);
  for (int n = 0; n < NODES; ++n)
    b->u[n] = n + 1;
  CHECK(bp_workspace_create(b->device, b->problem, true, &b->workspace) == BP_OK, "%s",
        bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(b->workspace);
  CU_ASSERT_EQUAL(bp_workspace_write(b->workspace, b->u), BP_OK);
  return true;
}

static void bench_destroy(bench *b)
{
  bp_workspace_destroy(b->workspace);
  bp_problem_destroy(b->problem);
  bp_device_destroy(b->device);
}

typedef struct {
  bp_variant_text text;
  bp_variant variant;
} made;

/* One kernel, launched in `threads` threads per block and one block per element. The driver that pretends
 * knows what it does by its name. */
static bp_choice choice_of(made *m, const char *kernel, const char *body, const char *threads,
                           const char *shared)
{
  char *source = bp_alloc(strlen(body) + 200, 1);
  sprintf(source,
          "#include \"gpu.h\"\nBP_KERNEL(%s)\n{\n  const int n = 64 * (int)blockIdx.x + "
          "bp_thread();\n%s\n}\n",
          kernel, body);
  *m =
      (made){.text = {.id = "bp1.0/made-up", .file = "kernels/bp1.0/made-up.cu", .source = source}};
  m->variant = (bp_variant){
      .text = &m->text,
      .id = m->text.id,
      .problem = "bp1.0",
      .name = "made-up",
      .language = BP_LANGUAGE_CUDA,
      .lowest = 1,
      .highest = BP_DEGREE_MAX,
      .factors = (char *)"eckji",
      .launches_count = 1,
      .launches =
          {{(char *)kernel, {(char *)threads, (char *)"1", (char *)"1"}, NULL, (char *)shared}},
  };
  return bp_choice_standard(&m->variant);
}

static void made_destroy(made *m)
{
  bp_free((char *)m->text.source);
}

static void check_doubled(bench *b, bp_plan *plan)
{
  CU_ASSERT_EQUAL(bp_workspace_poison(b->workspace), BP_OK);
  CHECK(bp_plan_apply(plan) == BP_OK, "%s", bp_message());
  CHECK(bp_workspace_guards(b->workspace) == BP_OK, "%s", bp_message());
  CU_ASSERT_EQUAL(bp_workspace_read(b->workspace, b->v), BP_OK);
  for (int n = 0; n < NODES; ++n)
    CHECK(b->v[n] == 2 * b->u[n], "v[%d] is %g", n, b->v[n]);
}

static const char twice[] = "  v[n] = 2 * u[n];";

TEST(cuda, applies_and_tells_details)
{
  bench b;
  made m;
  if (!bench_create(&b, false))
    return;
  bp_choice choice = choice_of(&m, "doubled", twice, "64", "0");
  bp_plan *plan = NULL;
  CHECK(bp_plan_create(b.workspace, &choice, &plan) == BP_OK && plan, "%s", bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
  check_doubled(&b, plan);
  CU_ASSERT(plan->details.registers > 0 && plan->details.registers < 64);
  CU_ASSERT_EQUAL(plan->details.spill_bytes, 0);
  CU_ASSERT_EQUAL(plan->details.threads, 64);
  CU_ASSERT_EQUAL(plan->details.blocks, ELEMENTS);
  CU_ASSERT(plan->details.blocks_per_sm > 1);
  double seconds = 0;
  CU_ASSERT_EQUAL(bp_plan_time(plan, 100, false, &seconds), BP_OK);
  CHECK(seconds > 1e-8 && seconds < 1e-3, "%g seconds", seconds);
  bp_plan_destroy(plan);
  made_destroy(&m);
  bench_destroy(&b);
}

TEST(cuda, poison_shows_what_is_not_written)
{
  bench b;
  made m;
  if (!bench_create(&b, false))
    return;
  bp_choice choice = choice_of(&m, "all_but_77", "  if (n != 77) v[n] = 2 * u[n];", "64", "0");
  bp_plan *plan = NULL;
  CU_ASSERT_EQUAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
  CU_ASSERT_EQUAL(bp_workspace_poison(b.workspace), BP_OK);
  CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_OK);
  CU_ASSERT_EQUAL(bp_workspace_read(b.workspace, b.v), BP_OK);
  CU_ASSERT(isnan(b.v[77]) && b.v[76] == 2 * b.u[76] && b.v[78] == 2 * b.u[78]);
  bp_plan_destroy(plan);
  made_destroy(&m);
  bench_destroy(&b);
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
  bench b;
  if (!bench_create(&b, false))
    return;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    made bad, good;
    bp_choice choice = choice_of(&bad, cases[n].kernel, cases[n].body, "64", "0");
    bad.variant.scratch = (char *)"100";
    bp_plan *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_OK);
    CU_ASSERT_EQUAL(bp_workspace_guards(b.workspace), BP_WRONG);
    CHECK(strstr(bp_message(), cases[n].words), "expected '%s', found '%s'", cases[n].words,
          bp_message());
    bp_plan_destroy(plan);
    choice = choice_of(&good, "doubled", twice, "64", "0");
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    check_doubled(&b, plan);
    bp_plan_destroy(plan);
    made_destroy(&bad);
    made_destroy(&good);
  }
  bench_destroy(&b);
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
  bench b;
  setenv("BP_CUDA_PATIENCE", "4", 1);
  if (!bench_create(&b, false))
    return;
  made good;
  bp_choice choice = choice_of(&good, "doubled", twice, "64", "0");
  bp_plan *keeper = NULL, *copy = NULL;
  double seconds = 0;
  CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &keeper), BP_OK);
  CU_ASSERT_EQUAL_FATAL(bp_copy_create(b.device, 1 << 20, &copy), BP_OK);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    made bad;
    bp_plan *plan = NULL;
    choice = choice_of(&bad, cases[n].kernel, cases[n].body, "64", "0");
    CHECK(bp_plan_create(b.workspace, &choice, &plan) == BP_OK, "%s", bp_message());
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_WRONG);
    CHECK(strstr(bp_message(), cases[n].words) &&
              strstr(bp_message(), "the device was started anew"),
          "expected '%s', found '%s'", cases[n].words, bp_message());
    check_doubled(&b, keeper);
    CHECK(bp_plan_time(copy, 2, n == 1, &seconds) == BP_OK, "%s", bp_message());
    bp_plan_destroy(plan);
    made_destroy(&bad);
  }
  unsetenv("BP_CUDA_PATIENCE");
  bp_plan_destroy(keeper);
  bp_plan_destroy(copy);
  made_destroy(&good);
  bench_destroy(&b);
}

/* As on a device: the kernel's call is well, a later one tells of its error. */
TEST(cuda, an_error_that_comes_late_takes_no_other_with_it)
{
  bench b;
  if (!is_pretended() || !bench_create(&b, false))
    return;
  for (int n = 0; n < 2; ++n) {
    made bad, good;
    bp_plan *plan = NULL;
    bp_workspace *other = NULL;
    bp_choice choice = choice_of(&bad, "late", twice, "64", "0");
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    CU_ASSERT_EQUAL(bp_plan_apply(plan), BP_OK);
    bp_plan_destroy(plan);
    choice = choice_of(&good, "doubled", twice, "64", "0");
    if (n == 0) {
      CHECK(bp_workspace_create(b.device, b.problem, true, &other) == BP_OK, "%s", bp_message());
    } else {
      good.variant.scratch = (char *)"100";
      CU_ASSERT_EQUAL(bp_plan_create(b.workspace, &choice, &plan), BP_ENVIRONMENT);
      CHECK(strstr(bp_message(), "CUDA_ERROR_ILLEGAL_ADDRESS"), "%s", bp_message());
    }
    CHECK(bp_plan_create(b.workspace, &choice, &plan) == BP_OK, "%s", bp_message());
    check_doubled(&b, plan);
    bp_plan_destroy(plan);
    bp_workspace_destroy(other);
    made_destroy(&bad);
    made_destroy(&good);
  }
  bench_destroy(&b);
}

TEST(cuda, what_cannot_run_says_why)
{
  static const struct {
    const char *body, *threads, *shared, *words;
    int sm;
  } cases[] = {
      {twice, "2048", "0", "2048 threads", 0},
      {twice, "0", "0", "0 threads", 0},
      {twice, "64", "1000000", "1000000 bytes of shared memory", 0},
      {twice, "64", "0", "needs sm_900 or newer", 900},
      {"  BP_SHARED(double, s, [8000]); s[n] = u[n]; v[n] = s[n + 1];", "64", "0",
       "64000 bytes of static shared", 0},
  };
  bench b;
  if (!bench_create(&b, false))
    return;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    made m;
    bp_choice choice = choice_of(&m, "doubled", cases[n].body, cases[n].threads, cases[n].shared);
    m.variant.requires_sm = cases[n].sm;
    bp_plan *plan = NULL;
    bp_status status = bp_plan_create(b.workspace, &choice, &plan);
    CHECK(status == BP_OK && !plan && strstr(bp_message(), cases[n].words),
          "expected '%s', found status %d, '%s'", cases[n].words, status, bp_message());
    made_destroy(&m);
  }
  bench_destroy(&b);
}

TEST(cuda, shared_memory_beyond_48_kilobytes)
{
  bench b;
  made m;
  if (!bench_create(&b, false))
    return;
  int64_t most = bp_cuda_device_info(b.device)->shared_per_block;
  char shared[32];
  snprintf(shared, sizeof shared, "%lld", (long long)most);
  bp_choice choice = choice_of(&m, "roomy",
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
  check_doubled(&b, plan);
  bp_plan_destroy(plan);
  made_destroy(&m);
  bench_destroy(&b);
}

TEST(cuda, too_little_memory_is_told_with_figures)
{
  bp_device *device = open_device(false);
  bp_plan *plan = NULL;
  if (!device)
    return;
  CU_ASSERT_EQUAL(bp_copy_create(device, 4 * device->memory_free, &plan), BP_ENVIRONMENT);
  CHECK(strstr(bp_message(), "needs") && strstr(bp_message(), "are free"), "%s", bp_message());
  CHECK(bp_copy_create(device, 1 << 20, &plan) == BP_OK && plan, "%s", bp_message());
  bp_plan_destroy(plan);
  bp_device_destroy(device);
}

TEST(cuda, graphs_do_the_same_and_cost_less)
{
  double seconds[2] = {0};
  for (int graph = 0; graph < 2; ++graph) {
    bench b;
    made m;
    if (!bench_create(&b, graph))
      return;
    bp_choice choice = choice_of(&m, "doubled", twice, "64", "0");
    bp_plan *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(bp_plan_create(b.workspace, &choice, &plan), BP_OK);
    for (int n = 0; n < 5; ++n) {
      double sample = 0;
      CHECK(bp_plan_time(plan, 300, false, &sample) == BP_OK, "%s", bp_message());
      seconds[graph] = n == 0 || sample < seconds[graph] ? sample : seconds[graph];
    }
    check_doubled(&b, plan);
    bp_plan_destroy(plan);
    made_destroy(&m);
    bench_destroy(&b);
  }
  if (is_pretended())
    return;
  printf("(%.2f us launched, %.2f us replayed) ", 1e6 * seconds[0], 1e6 * seconds[1]);
  CU_ASSERT(seconds[1] > 1e-7 && seconds[1] < 1.2 * seconds[0]);
}

TEST(cuda, a_cold_copy_is_slower_than_a_hot_one)
{
  bp_device *device = open_device(false);
  bp_plan *plan = NULL;
  double seconds[2] = {1, 1};
  if (!device)
    return;
  if (is_pretended()) {
    bp_device_destroy(device);
    return;
  }
  CU_ASSERT_EQUAL_FATAL(bp_copy_create(device, device->cache_bytes / 6, &plan), BP_OK);
  for (int n = 0; n < 20; ++n)
    for (int cold = 0; cold < 2; ++cold) {
      double sample = 0;
      CHECK(bp_plan_time(plan, cold ? 1 : 10, cold, &sample) == BP_OK, "%s", bp_message());
      seconds[cold] = sample < seconds[cold] ? sample : seconds[cold];
    }
  printf("(%.2f us hot, %.2f us cold) ", 1e6 * seconds[0], 1e6 * seconds[1]);
  CU_ASSERT(seconds[1] > 1.2 * seconds[0]);
  bp_plan_destroy(plan);
  bp_device_destroy(device);
}

TEST(cuda, knows_the_machine)
{
  bp_device *device = open_device(false);
  double launch = 0, sm_mhz, memory_mhz, watts;
  if (!device)
    return;
  const bp_cuda_info *info = bp_cuda_device_info(device);
  CU_ASSERT(info->sm >= 50 && info->multiprocessors > 0 && info->l2_bytes > 0);
  CU_ASSERT(info->memory_bytes >= device->memory_free && device->memory_free > 0);
  CHECK(bp_cuda_launch_seconds(device, &launch) == BP_OK, "%s", bp_message());
  CU_ASSERT(launch > 0 && launch < 1e-3);
  char *versions = bp_cuda_versions();
  printf("(%s, %s, launch %.2f us, peak %.0f GB/s) ", device->name, versions, 1e6 * launch,
         1e-9 * device->peak_bytes_per_second);
  bp_free(versions);
  bp_nvml *nvml = bp_nvml_open(info->pci);
  bp_nvml_watch *watch = bp_nvml_watch_start(nvml, 0.005);
  bp_plan *copy = NULL;
  const int64_t bytes = is_pretended() ? 1 << 20 : 1 << 28;
  CU_ASSERT_EQUAL_FATAL(bp_copy_create(device, bytes, &copy), BP_OK);
  for (int n = 0; n < 20; ++n)
    CU_ASSERT_EQUAL(bp_plan_time(copy, 20, false, &launch), BP_OK);
  bp_nvml_summary s = bp_nvml_watch_stop(watch);
  bp_nvml_limits(nvml, &sm_mhz, &memory_mhz, &watts);
  char *throttle = bp_nvml_throttle(s.throttle);
  printf("(copy %.0f GB/s; SM %.0f -> %.0f -> %.0f MHz of %.0f, memory %.0f, %.0f W of %.0f, %.2f "
         "J in "
         "%.3f s, %.0f C, held back by: '%s') ",
         2e-9 * (double)bytes / launch, s.before.sm_mhz, s.sm_mhz, s.after.sm_mhz, sm_mhz,
         memory_mhz, s.watts, watts, s.joules, s.seconds, s.celsius, throttle);
  bp_free(throttle);
  bp_plan_destroy(copy);
  bp_nvml_close(nvml);
  bp_device_destroy(device);
}

TEST(nvml, does_without_the_library)
{
  bp_nvml_sample s = bp_nvml_read(NULL);
  CU_ASSERT(isnan(s.sm_mhz) && isnan(s.watts) && !s.known);
  CU_ASSERT_PTR_NULL(bp_nvml_watch_start(NULL, 1));
  bp_nvml_summary summary = bp_nvml_watch_stop(NULL);
  CU_ASSERT(isnan(summary.joules) && !summary.known);
  char *text = bp_nvml_throttle(0x4 | 0x20);
  CU_ASSERT_STRING_EQUAL(text, "power cap, thermal limit");
  bp_free(text);
}

static void on_alarm(int signal)
{
  (void)signal;
}

TEST(cuda, signals_do_not_look_like_failures)
{
  const struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
  struct sigaction action = {.sa_handler = on_alarm}, before; /* without SA_RESTART */
  bench b;
  made m;
  if (!bench_create(&b, false))
    return;
  bp_choice choice = choice_of(&m, "doubled", twice, "64", "0");
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
  check_doubled(&b, plan);
  bp_plan_destroy(plan);
  made_destroy(&m);
  bench_destroy(&b);
}
