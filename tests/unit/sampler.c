/* sampler.c -- tests of when sampling ends, on plans that only pretend. */
#include "test.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/rounds.h"
#include "device/program.h"
#include "measure/waits.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* What an application of a plan takes by its own word, and how long flushing really takes. */
typedef struct {
  bp_plan base;
  double seconds, flush;
  int fails_after, calls;
  int waits;           /* so many calls wait, every second one */
  const char *threads; /* a folder of bp_busy_place; NULL: none */
  int late, of;        /* so many of so many calls find no processor */
} pretended;

static int64_t waited; /* nanoseconds of the only thread */

static void write_file(const char *folder, const char *name, const char *text)
{
  char *path = bp_format("%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  fputs(text, f);
  fclose(f);
  bp_free(path);
}

static void write_schedstat(const char *folder)
{
  char *text = bp_format("1000000 %lld 7\n", (long long)waited);
  write_file(folder, "self/task/1/schedstat", text);
  bp_free(text);
}

/* A step's function is its plan; any step before says that caches are flushed. */
static bp_status pretend_run(bp_device *device, const bp_run *run, const char *what,
                             double *seconds)
{
  bp_walk walk = bp_walk_start(run->steps, run->steps_count);
  pretended *p = (pretended *)(uintptr_t)bp_walk_next(&walk)->function;
  (void)device, (void)what;
  if (p->fails_after && ++p->calls > p->fails_after)
    return bp_fail(BP_WRONG, "pretended");
  for (double end = bp_clock() + (run->before_count ? p->flush : 0); bp_clock() < end;)
    continue;
  if (p->of && p->calls++ % p->of < p->late) {
    waited += 1000000000000;
    write_schedstat(p->threads);
  }
  *seconds = p->waits > 0 && --p->waits % 2 ? 40 * p->seconds : p->seconds;
  return BP_OK;
}

static const bp_backend backend = {.name = "pretended", .run = pretend_run};
static bp_plan flush_plan;
static bp_device device = {.backend = &backend, .flush = &flush_plan};

static pretended plan_of(double seconds, double flush)
{
  flush_plan = (bp_plan){.device = &device, .steps_count = 1};
  return (pretended){.base = {.device = &device, .steps_count = 1, .iterations = 1},
                     .seconds = seconds,
                     .flush = flush};
}

static bp_plan *bind(pretended *p)
{
  p->base.steps[0].function = (bp_function)(uintptr_t)p;
  return &p->base;
}

static bp_sampling sampling_of(bool cold)
{
  return (bp_sampling){.cold = cold,
                       .min_time = 0.001,
                       .max_time = 0.05,
                       .min_samples = 3,
                       .max_samples = 100000,
                       .confidence = -1, /* never enough */
                       .sample_seconds = 1e-4};
}

/* Samples `p` and tells how long that took. */
static double sample(pretended *p, const bp_sampling *sampling, bp_sampled *s)
{
  *s = (bp_sampled){.plan = bind(p)};
  double start = bp_clock();
  bp_sample(s, 1, sampling);
  return bp_clock() - start;
}

/* Sampling of a plan of so many seconds and seconds of flushing ends by max_time, after so many samples. */
static void check_end(bool cold, double seconds, double flush, int64_t least, int64_t most)
{
  bp_sampled s;
  const bp_sampling sampling = sampling_of(cold);
  pretended p = plan_of(seconds, flush);
  double taken = sample(&p, &sampling, &s);
  CU_ASSERT_STRING_EQUAL(s.stopped, "max_time");
  CU_ASSERT(s.count >= least && s.count <= most);
  CU_ASSERT(taken < 5);
  bp_sampled_destroy(&s);
}

TEST(sampler, flushing_counts_as_time)
{
  check_end(true, 1e-6, 0.004, 3, 14); /* by the samples alone 50 000 */
}

TEST(sampler, least_samples_are_taken_however_slow_flushing_is)
{
  check_end(true, 1e-6, 0.06, 3, 3);
}

TEST(sampler, hot_time_is_what_the_samples_say)
{
  check_end(false, 1e-4, 1, 500, 502);
}

TEST(sampler, equal_samples_are_enough)
{
  bp_sampled s;
  bp_sampling sampling = sampling_of(false);
  sampling.confidence = 0;
  pretended p = plan_of(1e-4, 0);
  sample(&p, &sampling, &s);
  CU_ASSERT_STRING_EQUAL(s.stopped, "confidence");
  CU_ASSERT(s.count >= 6 && s.count < 100);
  bp_sampled_destroy(&s);
}

TEST(sampler, one_that_fails_ends_alone)
{
  bp_sampling sampling = sampling_of(false);
  sampling.max_samples = 20;
  pretended well = plan_of(1e-4, 0), ill = plan_of(1e-4, 0);
  ill.fails_after = 5;
  bp_sampled s[2] = {{.plan = bind(&well)}, {.plan = bind(&ill)}};
  bp_sample(s, 2, &sampling);
  CU_ASSERT_STRING_EQUAL(s[0].stopped, "max_samples");
  CU_ASSERT_EQUAL(s[0].count, 20);
  CU_ASSERT_STRING_EQUAL(s[1].stopped, "failed");
  CU_ASSERT_EQUAL(s[1].status, BP_WRONG);
  CU_ASSERT_PTR_NOT_NULL(s[1].message);
  bp_sampled_destroy(&s[0]);
  bp_sampled_destroy(&s[1]);
}

/* What is strange about the copy of rounds whose first `waits` copies wait. */
static char *copy_of_rounds(int waits)
{
  const bp_sampling sampling = sampling_of(false);
  pretended copy = plan_of(1e-4, 0), kernel = plan_of(1e-4, 0);
  copy.waits = waits;
  bp_peaks peaks = {0};
  bp_sampled items[2] = {{.plan = bind(&copy), .reference = true}, {.plan = bind(&kernel)}};
  bp_rounds rounds = {.items = items, .count = 2, .peaks = &peaks};
  bp_rounds_run(&rounds, &sampling);
  CU_ASSERT(items[0].count > 100 && items[1].count > 100);
  char *what = bp_waits(items[0].samples, items[0].count, NAN);
  bp_sampled_destroy(&items[0]);
  bp_sampled_destroy(&items[1]);
  return what;
}

/* A peak from a bad moment: no kernel is 22 times as fast as the machine. */
TEST(sampler, peak_below_a_kernel_is_measured_again)
{
  pretended p = plan_of(1e-3, 0);
  bp_peaks peaks = {.items = {{.name = "fma", .value = 3, .plan = bind(&p)}}, .count = 1};
  p.base.work = 60e6; /* 60 in truth */
  p.fails_after = 1000000;
  CU_ASSERT_EQUAL(bp_peak_reached(&peaks, "fma", 2.9), 3);
  CU_ASSERT_EQUAL(p.calls, 0);
  CU_ASSERT_DOUBLE_EQUAL(bp_peak_reached(&peaks, "fma", 40), 60, 1e-9);
  CU_ASSERT(p.calls > 0);
  CU_ASSERT_EQUAL(bp_peak_reached(&peaks, "fma", 66), 66);
  CU_ASSERT(isnan(bp_peak_reached(&peaks, "shared", 1)));
  CU_ASSERT_DOUBLE_EQUAL(bp_peak_reached(&peaks, "fma", NAN), 66, 0);
}

TEST(sampler, copy_that_waited_is_taken_again)
{
  CU_ASSERT_PTR_NULL(copy_of_rounds(400));
  char *what = copy_of_rounds(1000000);
  CU_ASSERT_PTR_NOT_NULL(what);
  bp_free(what);
}

/* ---- other work ---- */

typedef struct {
  char folder[32];
} machine;

static machine machine_create(void)
{
  machine m = {.folder = "/tmp/bp-busy-XXXXXX"};
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(m.folder));
  char *thread = bp_format("%s/self/task/1/", m.folder);
  CU_ASSERT_EQUAL_FATAL(bp_file_create_folders(thread), BP_OK);
  bp_free(thread);
  write_schedstat(m.folder);
  write_file(m.folder, "stat", "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 1 1 1\n");
  return m;
}

static void machine_remove(const machine *m)
{
  static const char *const all[] = {
      "stat", "self/task/1/schedstat", "self/task/1", "self/task", "self", ""};
  for (size_t n = 0; n < sizeof all / sizeof *all; ++n) {
    char *path = bp_format("%s/%s", m->folder, all[n]);
    remove(path);
    bp_free(path);
  }
}

/* Why a row is not believed whose samples find no processor, so many of so many; NULL: it is. */
static char *blame_of(int late, int of)
{
  machine m = machine_create();
  const bp_busy_place places = {m.folder, 1};
  bp_sampling sampling = sampling_of(false);
  sampling.max_samples = 40;
  sampling.busy = &places;
  pretended p = plan_of(1e-3, 0);
  p.threads = m.folder;
  p.late = late;
  p.of = of;
  bp_sampled s;
  sample(&p, &sampling, &s);
  CU_ASSERT_EQUAL(s.count, 40);
  char *blame = s.busy;
  s.busy = NULL;
  bp_sampled_destroy(&s);
  machine_remove(&m);
  return blame;
}

TEST(sampler, samples_without_a_processor_are_not_believed)
{
  CU_ASSERT_PTR_NULL(blame_of(0, 1));
  CU_ASSERT_PTR_NULL(blame_of(1, 10));
  char *blame = blame_of(5, 10);
  CU_ASSERT(blame &&
            strcmp(blame, "busy: threads waited for a processor in 50 % of the samples") == 0);
  bp_free(blame);
}

/* Of 1e6 ticks between two looks at the machine. */
static bp_busy_share share_of(const char *line, int ranks)
{
  machine m = machine_create();
  const bp_busy_place places = {m.folder, ranks};
  bp_busy *busy = bp_busy_start(&places);
  char *ran =
      bp_format("%lld 0 7\n", 1000000 + 100000000000000LL / (long long)sysconf(_SC_CLK_TCK));
  write_file(m.folder, "self/task/1/schedstat", ran); /* 100,000 ticks of our own */
  write_file(m.folder, "stat", line);
  bp_busy_share share = bp_busy_stop(busy);
  bp_free(ran);
  machine_remove(&m);
  return share;
}

TEST(sampler, what_others_had_of_the_processors)
{
  bp_busy_share share = share_of("cpu  100100 0 100 901000 0 0 0 0 0 0\n", 1);
  CU_ASSERT(fabs(share.others) < 1e-3 && share.stolen == 0);
  share = share_of("cpu  300100 0 100 671000 0 0 0 30000 0 0\n", 1);
  CHECK(fabs(share.others - 0.2) < 1e-3 && fabs(share.stolen - 0.03) < 1e-3, "%g %g", share.others,
        share.stolen);
  share = share_of("cpu  300100 0 100 671000 0 0 0 30000 0 0\n", 3); /* all of it is ours */
  CU_ASSERT(fabs(share.others) < 1e-3);
  share = share_of("cpu  101 0 100 1000 0 0 0 0 0 0\n", 1); /* too short to tell */
  CU_ASSERT(share.others == 0);
  CU_ASSERT_PTR_NULL(bp_busy_start(NULL));
  CU_ASSERT(bp_busy_stop(NULL).others == 0);
}

TEST(sampler, reasons)
{
  static const struct {
    int64_t late, count;
    bp_busy_share share;
    const char *reason;
  } cases[] = {{0, 0, {0, 0}, NULL},
               {10, 40, {0.02, 0.1}, NULL},
               {11, 40, {0, 0}, "busy: threads waited for a processor in 28 % of the samples"},
               {0, 40, {0.05, 0}, "busy: the hypervisor took 5 % of the processors' time"},
               {0, 40, {0, 0.5}, "busy: other programs had 50 % of the processors' time"}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    char *reason = bp_busy_reason(cases[n].late, cases[n].count, cases[n].share);
    CHECK(cases[n].reason ? reason && strcmp(reason, cases[n].reason) == 0 : !reason, "%zu: %s", n,
          reason ? reason : "none");
    bp_free(reason);
  }
}
