/* compare.c -- tests of comparisons: no false alarm, no real change missed, nothing lost. */
#include "sample.h"
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "report/compare.h"
#include "report/group.h"
#include <stdbool.h>

static const sample_recipe quiet =
    SAMPLE_RECIPE(.problems = 2, .degrees = 5, .variants = 4, .samples = 60, .seed = 1);

static bp_comparison *compared(const sample_recipe *a, const sample_recipe *b,
                               bp_record *records[2])
{
  records[0] = sample_record(a);
  records[1] = sample_record(b);
  return bp_compare(records[0], records[1], 0.05);
}

static void finish(bp_comparison *c, bp_record *records[2])
{
  bp_comparison_destroy(c);
  bp_record_destroy(records[0]);
  bp_record_destroy(records[1]);
}

static int64_t alarms(const bp_comparison *c)
{
  return c->counts[BP_VERDICT_SLOWER] + c->counts[BP_VERDICT_FASTER] + c->regressions;
}

TEST(compare, the_same_program_gives_no_alarm)
{
  int wrong = 0;
  for (uint64_t trial = 0; trial < 100; ++trial) {
    sample_recipe a = quiet, b = quiet;
    bp_record *records[2];
    a.seed = 2 * trial;
    b.seed = 2 * trial + 1;
    b.drift = 1 + 0.001 * (double)trial; /* the machine as a whole is up to 10 % slower */
    bp_comparison *c = compared(&a, &b, records);
    wrong += alarms(c) > 0;
    CU_ASSERT(c->count == 40);
    finish(c, records);
  }
  CHECK(wrong <= 1, "%d of 100", wrong);
}

/* One with a preconditioner is another solve: it has nothing to be compared with. */
TEST(compare, preconditioned_rows_are_not_those_without)
{
  bp_record *records[2];
  sample_recipe recipe = quiet;
  recipe.slower = 2;
  records[0] = sample_record(&quiet);
  records[1] = sample_record(&recipe);
  for (int64_t n = 0; n < records[1]->rows_count; ++n)
    bp_record_set(&records[1]->rows[n].preconditioner, "jacobi");
  bp_comparison *c = bp_compare(records[0], records[1], 0.05);
  CU_ASSERT(c->counts[BP_VERDICT_MISSING] == 40 && c->counts[BP_VERDICT_NEW] == 40);
  CU_ASSERT(alarms(c) == 0);
  bp_record_merge(records[0], records[1], "two");
  records[1] = NULL;
  bp_groups groups = bp_groups_of(records[0]);
  CU_ASSERT(groups.count == 4); /* a table of each problem, and of each with a preconditioner */
  bp_groups_destroy(&groups);
  finish(c, records);
}

/* Samples that wander slowly, as those of a machine with neighbours do. */
static void wander(bp_timing *timing, bp_random *random)
{
  double level = 0;
  for (int64_t n = 0; n < timing->statistics.count; ++n) {
    level = 0.97 * level + 0.01 * (bp_random_unit(random) - 0.5);
    timing->samples[n] *= exp(level);
  }
  bp_timing again = bp_timing_of(timing->samples, timing->statistics.count);
  bp_free(timing->samples);
  *timing = again;
}

TEST(compare, neighbouring_samples_that_are_alike_give_no_alarm)
{
  int wrong = 0;
  bp_random random = bp_random_start(17);
  for (uint64_t trial = 0; trial < 100; ++trial) {
    sample_recipe recipes[2] = {quiet, quiet};
    bp_record *records[2];
    for (int r = 0; r < 2; ++r) {
      recipes[r].seed = 2 * trial + (uint64_t)r;
      recipes[r].samples = 400;
      records[r] = sample_record(&recipes[r]);
      for (int64_t n = 0; n < records[r]->rows_count; ++n)
        wander(&records[r]->rows[n].seconds, &random);
    }
    bp_comparison *c = bp_compare(records[0], records[1], 0.05);
    wrong += alarms(c) > 0;
    finish(c, records);
  }
  CHECK(wrong <= 1, "%d of 100", wrong);
}

TEST(compare, a_variant_slowed_by_ten_percent_is_found)
{
  sample_recipe slow = quiet;
  bp_record *records[2];
  slow.slower = 1.1;
  slow.seed = 2;
  bp_comparison *c = compared(&quiet, &slow, records);
  CU_ASSERT(c->regressions == 10 && c->counts[BP_VERDICT_SLOWER] == 10);
  for (int64_t n = 0; n < c->count; ++n)
    CU_ASSERT((c->rows[n].verdict == BP_VERDICT_SLOWER) ==
              (strcmp(c->rows[n].old->variant, "slab") == 0));
  finish(c, records);
  c = compared(&slow, &quiet, records);
  CU_ASSERT(c->regressions == 0 && c->counts[BP_VERDICT_FASTER] == 10);
  finish(c, records);
}

/* Slower, but by less than the threshold: said, and no regression. */
TEST(compare, four_percent_are_slower_but_allowed)
{
  sample_recipe slow = quiet;
  bp_record *records[2];
  slow.slower = 1.04;
  slow.noise = 0.002;
  slow.seed = 2;
  sample_recipe calm = slow;
  calm.slower = 1;
  bp_comparison *c = compared(&calm, &slow, records);
  CU_ASSERT(c->regressions == 0 && c->counts[BP_VERDICT_SLOWER] == 10);
  CU_ASSERT(c->counts[BP_VERDICT_SAME] == 30);
  finish(c, records);
}

TEST(compare, noise_makes_it_inconclusive)
{
  sample_recipe a = quiet, b = quiet;
  bp_record *records[2];
  a.noise = b.noise = 0.5;
  b.seed = 2;
  bp_comparison *c = compared(&a, &b, records);
  CU_ASSERT(c->counts[BP_VERDICT_INCONCLUSIVE] > 30 && alarms(c) == 0);
  finish(c, records);
}

TEST(compare, three_samples_prove_nothing)
{
  sample_recipe a = quiet, b = quiet;
  bp_record *records[2];
  a.samples = b.samples = 3;
  b.slower = 2;
  bp_comparison *c = compared(&a, &b, records);
  CU_ASSERT(c->counts[BP_VERDICT_INCONCLUSIVE] == 40);
  finish(c, records);
}

static int64_t count_of(const bp_comparison *c, bp_verdict verdict)
{
  return c->counts[verdict];
}

TEST(compare, broken_lost_missing_and_new_rows_are_listed)
{
  sample_recipe faults = quiet, small = quiet;
  bp_record *records[2];
  faults.faults = true;
  faults.seed = 2;
  bp_comparison *c = compared(&quiet, &faults, records);
  CU_ASSERT(count_of(c, BP_VERDICT_BROKEN) == 2 && count_of(c, BP_VERDICT_LOST) == 2);
  CU_ASSERT(c->regressions == 2);
  bp_text text = {0};
  bp_style style = {0};
  bp_comparison_table(c, &style, &text);
  CU_ASSERT(strstr(text.data, "2 BROKEN") && strstr(text.data, "2 regressions"));
  bp_text_destroy(&text);
  finish(c, records);
  small.degrees = 4;
  c = compared(&quiet, &small, records);
  CU_ASSERT(count_of(c, BP_VERDICT_MISSING) == 8 && c->count == 40);
  finish(c, records);
  c = compared(&small, &quiet, records);
  CU_ASSERT(count_of(c, BP_VERDICT_NEW) == 8 && c->regressions == 0);
  finish(c, records);
  c = compared(&faults, &quiet, records);
  CU_ASSERT(count_of(c, BP_VERDICT_NONE) == 4 && c->regressions == 0);
  finish(c, records);
}

TEST(compare, differing_environments_are_named)
{
  bp_record *records[2] = {sample_record(&quiet), sample_record(&quiet)};
  bp_record_add_fact(records[1], "driver", "590");
  bp_record_add_fact(records[1], "git", "abc");
  bp_comparison *c = bp_compare(records[0], records[1], 0.05);
  CU_ASSERT(c->differences_count == 2);
  bp_text text = {0};
  bp_style style = {0};
  bp_comparison_table(c, &style, &text);
  CU_ASSERT(strstr(text.data, "driver: 580.10 -> 590") != NULL);
  CU_ASSERT(strstr(text.data, "git: (not said) -> abc") != NULL);
  bp_text_destroy(&text);
  finish(c, records);
}

/* Merged records: a verdict needs every run of one against every run of the other. */
/* Half of each time is launches: a change by less than they take is no regression, one by more is. */
TEST(compare, overhead_is_no_regression)
{
  bp_record *records[2];
  sample_recipe slow = quiet;
  slow.slower = 1.3;
  bp_comparison *c = compared(&quiet, &slow, records);
  CU_ASSERT(c->regressions == 10 && c->counts[BP_VERDICT_OVERHEAD] == 0);
  bp_comparison_destroy(c);
  for (int r = 0; r < 2; ++r)
    for (int64_t n = 0; n < records[r]->rows_count; ++n) {
      bp_row *row = &records[r]->rows[n];
      row->overhead_seconds = 0.5 * row->seconds.statistics.median;
    }
  c = bp_compare(records[0], records[1], 0.05);
  CU_ASSERT(c->regressions == 0 && c->counts[BP_VERDICT_OVERHEAD] == c->count);
  finish(c, records);
  slow.slower = 2;
  c = compared(&quiet, &slow, records);
  bp_comparison_destroy(c);
  for (int64_t n = 0; n < records[0]->rows_count; ++n)
    records[0]->rows[n].overhead_seconds = 0.3 * records[0]->rows[n].seconds.statistics.median;
  c = bp_compare(records[0], records[1], 0.05);
  CU_ASSERT(c->regressions == 10 && c->counts[BP_VERDICT_OVERHEAD] == c->count - 10);
  finish(c, records);
}

TEST(compare, several_runs_must_agree)
{
  sample_recipe slow = quiet;
  bp_record *records[2] = {sample_record(&quiet), NULL};
  slow.slower = 1.1;
  records[1] = sample_record(&slow);
  slow.seed = 3;
  bp_record_merge(records[1], sample_record(&slow), "second");
  bp_comparison *c = bp_compare(records[0], records[1], 0.05);
  CU_ASSERT(c->count == 40 && c->rows[0].new_count == 2 && c->regressions == 10);
  bp_comparison_destroy(c);
  slow.slower = 1;
  slow.seed = 4; /* this run is as fast as the old one */
  bp_record_merge(records[1], sample_record(&slow), "third");
  c = bp_compare(records[0], records[1], 0.05);
  CU_ASSERT(c->count == 40 && c->rows[0].new_count == 3 && alarms(c) == 0);
  CU_ASSERT(c->counts[BP_VERDICT_INCONCLUSIVE] == 10);
  finish(c, records);
}

TEST(compare, what_one_of_the_old_runs_was_is_no_news)
{
  bp_record *records[2] = {sample_record(&quiet), NULL};
  bp_record_merge(records[0], sample_record(&quiet), "second");
  records[1] = sample_record(&quiet);
  records[0]->rows[40].status = records[1]->rows[0].status = BP_ROW_WRONG;
  bp_comparison *c = bp_compare(records[0], records[1], 0.05);
  CU_ASSERT(c->rows[0].old_count == 2 && c->rows[0].verdict == BP_VERDICT_NONE);
  CU_ASSERT(alarms(c) == 0);
  bp_comparison_destroy(c);
  records[0]->rows[40].status = BP_ROW_OK;
  c = bp_compare(records[0], records[1], 0.05);
  CU_ASSERT(c->regressions == 1 && c->rows[0].verdict == BP_VERDICT_BROKEN);
  finish(c, records);
}

/* One run of each on a CPU cannot tell 10 % from where the pages lie; four of each can. */
TEST(compare, few_runs_on_a_cpu_tell_little)
{
  sample_recipe fast = quiet, slow = quiet;
  bp_record *records[2] = {sample_record(&fast), NULL};
  slow.slower = 1.1;
  slow.seed = 100;
  records[1] = sample_record(&slow);
  for (int runs = 1; runs <= BP_RUNS_ENOUGH; ++runs) {
    for (int r = 0; r < 2; ++r)
      for (int64_t n = 0; n < records[r]->rows_count; ++n)
        bp_record_set(&records[r]->rows[n].backend, "cpu");
    bp_comparison *c = bp_compare(records[0], records[1], 0.05);
    bp_text text = {0};
    bp_style style = {0};
    bp_comparison_table(c, &style, &text);
    bool is_enough = runs == BP_RUNS_ENOUGH;
    CU_ASSERT(c->counts[BP_VERDICT_SLOWER] == (is_enough ? 10 : 0) &&
              alarms(c) == (is_enough ? 20 : 0));
    CU_ASSERT((strstr(text.data, "merge four or more of each") != NULL) == !is_enough);
    CU_ASSERT((c->spread > 0.1) == !is_enough);
    bp_text_destroy(&text);
    bp_comparison_destroy(c);
    fast.seed = (uint64_t)(10 + runs);
    slow.seed = (uint64_t)(110 + runs);
    bp_record_merge(records[0], sample_record(&fast), "old");
    bp_record_merge(records[1], sample_record(&slow), "new");
  }
  bp_record_destroy(records[0]);
  bp_record_destroy(records[1]);
}

TEST(compare, empty_records)
{
  bp_record *records[2] = {bp_record_create(0, NULL), bp_record_create(0, NULL)};
  bp_comparison *c = bp_compare(records[0], records[1], 0.05);
  bp_text text = {0};
  bp_style style = {0};
  bp_comparison_table(c, &style, &text);
  CU_ASSERT(c->count == 0 && strstr(text.data, "no rows") != NULL);
  bp_text_destroy(&text);
  finish(c, records);
}

/* A winner is one only where the comparison of two records would say so. */
TEST(compare, crowns_nobody_within_the_noise)
{
  static const struct {
    double slower; /* the first variant's time over the second's */
    const char *backend;
    bp_mark first, second;
  } cases[] = {{1.08, "cuda", BP_MARK_NONE, BP_MARK_BEST},
               {0.92, "cuda", BP_MARK_BEST, BP_MARK_NONE},
               {1.002, "cuda", BP_MARK_TIED, BP_MARK_TIED},
               {1.08, "cpu", BP_MARK_TIED, BP_MARK_TIED},
               {1.6, "cpu", BP_MARK_NONE, BP_MARK_BEST}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    sample_recipe recipe = quiet;
    recipe.problems = recipe.degrees = 1;
    recipe.variants = 2;
    recipe.slower = cases[n].slower * 0.625 / 0.91; /* as near to the copy as the second is */
    bp_record *record = sample_record(&recipe);
    for (int64_t r = 0; r < record->rows_count; ++r)
      bp_record_set(&record->rows[r].backend, cases[n].backend);
    bp_groups groups = bp_groups_of(record);
    bp_mark first = bp_group_mark(&groups.groups[0], groups.groups[0].rows[0]),
            second = bp_group_mark(&groups.groups[0], groups.groups[0].rows[1]);
    CHECK(first == cases[n].first && second == cases[n].second, "%g on %s: %d and %d",
          cases[n].slower, cases[n].backend, (int)first, (int)second);
    bp_groups_destroy(&groups);
    record->rows[0].status = BP_ROW_WRONG;
    groups = bp_groups_of(record);
    CU_ASSERT(bp_group_mark(&groups.groups[0], groups.groups[0].rows[0]) == BP_MARK_NONE);
    CU_ASSERT(bp_group_mark(&groups.groups[0], groups.groups[0].rows[1]) == BP_MARK_BEST);
    bp_groups_destroy(&groups);
    bp_record_destroy(record);
  }
}
