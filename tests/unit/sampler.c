/* sampler.c -- tests of when sampling ends, on plans that only pretend. */
#include "test.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/rounds.h"
#include "device/program.h"
#include "measure/waits.h"
#include <math.h>

/* What an application of a plan takes by its own word, and how long flushing really takes. */
typedef struct {
  bp_plan base;
  double seconds, flush;
  int fails_after, calls;
  int waits; /* so many calls wait, every second one */
} pretended;

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
