/* statistics.c -- tests of what is said about samples, with known tables and by simulation. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "measure/statistics.h"
#include <stdbool.h>

TEST(statistics, median_and_interval)
{
  double samples[100];
  for (int n = 0; n < 100; ++n)
    samples[n] = (n * 37) % 100;
  bp_statistics s = bp_statistics_of(samples, 100);
  CU_ASSERT(s.count == 100 && s.minimum == 0 && s.maximum == 99 && s.median == 49.5);
  CU_ASSERT(s.low == 39 && s.high == 60); /* the 40th and 61st of 100, as in the tables */
  CU_ASSERT(samples[1] == 37);
  s = bp_statistics_of(samples, 5);
  CU_ASSERT(s.low == s.minimum && s.high == s.maximum && s.median == 37);
  CU_ASSERT(bp_statistics_of(NULL, 0).count == 0);
}

/* The interval holds the true median in 95 of 100 rows of samples, whatever their number. */
TEST(statistics, interval_covers_the_median)
{
  static const int counts[] = {10, 40, 2000};
  bp_random random = bp_random_start(3);
  for (size_t c = 0; c < 3; ++c) {
    int covered = 0, trials = counts[c] > 100 ? 400 : 2000;
    for (int t = 0; t < trials; ++t) {
      double samples[2000];
      for (int n = 0; n < counts[c]; ++n)
        samples[n] = -log(1 - bp_random_unit(&random));
      bp_statistics s = bp_statistics_of(samples, counts[c]);
      covered += s.low <= log(2) && log(2) <= s.high;
    }
    CHECK(covered >= 0.93 * trials, "%d of %d with %d samples", covered, trials, counts[c]);
  }
}

TEST(statistics, batches_follow_the_row)
{
  double samples[205], batches[BP_BATCHES];
  for (int n = 0; n < 205; ++n)
    samples[n] = n;
  CU_ASSERT(bp_statistics_batches(samples, 205, batches) == BP_BATCHES);
  for (int n = 1; n < BP_BATCHES; ++n)
    CU_ASSERT(batches[n] > batches[n - 1] + 9);
  CU_ASSERT(bp_statistics_batches(samples, 7, batches) == 7 && batches[6] == 6);
  CU_ASSERT(bp_statistics_batches(samples, 0, batches) == 0);
}

TEST(statistics, inertia_of_wandering_values)
{
  static const double apart[] = {1, -1, 1, -1}, alike[] = {1, 2, 3, 4, 5, 6, 7, 8},
                      equal[] = {2, 2};
  CU_ASSERT(bp_statistics_inertia(apart, 4) == 1 && bp_statistics_inertia(equal, 2) == 1);
  CU_ASSERT(bp_statistics_inertia(NULL, 0) == 1);
  CU_ASSERT_DOUBLE_EQUAL(bp_statistics_inertia(alike, 8), sqrt(1.625 / 0.375), 1e-12);
}

/* Exact two-sided probabilities: complete order of 3 and 3 is 2/20, of 5 and 5 2/252. */
TEST(statistics, rank_test_is_exact)
{
  static const double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10}, mixed[] = {1, 4, 6};
  bp_rank_test t = bp_statistics_rank_test(low, 3, high, 3, 0.05);
  CU_ASSERT_DOUBLE_EQUAL(t.p, 0.1, 1e-15);
  CU_ASSERT(t.shift == 5 && isinf(t.low) && isinf(t.high));
  t = bp_statistics_rank_test(low, 5, high, 5, 0.05);
  CU_ASSERT_DOUBLE_EQUAL(t.p, 2.0 / 252, 1e-15);
  CU_ASSERT(t.shift == 5 && t.low == 2 && t.high == 8); /* critical value 2 of the tables */
  t = bp_statistics_rank_test(high, 5, low, 5, 0.05);
  CU_ASSERT_DOUBLE_EQUAL(t.p, 2.0 / 252, 1e-15);
  CU_ASSERT(t.shift == -5);
  t = bp_statistics_rank_test(mixed, 3, mixed, 3, 0.05);
  CU_ASSERT(t.p == 1 && t.shift == 0);
  CU_ASSERT(bp_statistics_rank_test(low, 0, high, 5, 0.05).p == 1);
}

TEST(statistics, rank_test_errs_as_rarely_as_it_says)
{
  bp_random random = bp_random_start(11);
  int rejected = 0, outside = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    double a[12], b[12];
    for (int n = 0; n < 12; ++n) {
      a[n] = -log(1 - bp_random_unit(&random));
      b[n] = 0.7 - log(1 - bp_random_unit(&random));
    }
    bp_rank_test t = bp_statistics_rank_test(a, 12, b, 12, 0.05);
    outside += 0.7 < t.low || t.high < 0.7;
    for (int n = 0; n < 12; ++n)
      b[n] -= 0.7;
    rejected += bp_statistics_rank_test(a, 12, b, 12, 0.05).p < 0.05;
  }
  CHECK(rejected < 240 && rejected > 120, "%d of 4000", rejected);
  CHECK(outside < 240 && outside > 120, "%d of 4000", outside);
}

TEST(statistics, floor_ignores_what_others_add)
{
  double samples[200];
  bp_random random = bp_random_start(5);
  for (int n = 0; n < 200; ++n)
    samples[n] = 1 + 0.01 * bp_random_unit(&random) + (bp_random_unit(&random) < 0.4 ? 3 : 0);
  bp_floor f = bp_statistics_floor(samples, 200, 0.01);
  CU_ASSERT(f.value > 1 && f.value < 1.003 && f.low <= f.value && f.value <= f.high &&
            f.high < 1.01);
  f = bp_statistics_floor(samples, 3, 0.01);
  CU_ASSERT(f.low <= f.value && f.value <= f.high);
}

/* Its interval holds the true decile as often as it says, also where samples come in clusters. */
TEST(statistics, floor_interval_covers_the_decile)
{
  static const int clusters[] = {1, 4};
  bp_random random = bp_random_start(9);
  for (int c = 0; c < 2; ++c) {
    int covered = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      double samples[300], value = 0;
      for (int n = 0; n < 300; ++n) {
        if (n % clusters[c] == 0)
          value = bp_random_unit(&random);
        samples[n] = 1 + value + 1e-6 * bp_random_unit(&random);
      }
      bp_floor f = bp_statistics_floor(samples, 300, 0.05);
      covered += f.low <= 1.1 && 1.1 <= f.high;
    }
    CHECK(covered >= 940, "%d of 1000 in clusters of %d", covered, clusters[c]);
  }
}
