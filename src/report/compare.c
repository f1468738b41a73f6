/* compare.c -- judges each pair of rows of two records. */
#include "report/compare.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

/* One false alarm in so many comparisons of records; the least that runs differ by for no reason;
 * what they may differ by on a CPU, by where their pages happen to lie (docs/reading-results.md).
 */
static const double FALSE_ALARMS = 0.01, LEAST_WANDER = 0.02, CPU_SPREAD = 0.20;
enum { SAMPLES_LEAST = 10 }; /* fewer have no floor worth the name */

const char *const bp_verdict_names[BP_VERDICTS] = {
    [BP_VERDICT_SLOWER] = "slower",     [BP_VERDICT_FASTER] = "faster",
    [BP_VERDICT_SAME] = "same",         [BP_VERDICT_INCONCLUSIVE] = "inconclusive",
    [BP_VERDICT_OVERHEAD] = "overhead", [BP_VERDICT_BROKEN] = "BROKEN",
    [BP_VERDICT_LOST] = "now skipped",  [BP_VERDICT_MISSING] = "missing",
    [BP_VERDICT_NEW] = "new",           [BP_VERDICT_NONE] = "nothing to compare"};

/* ---- judging ---- */

enum { MEDIAN, FLOOR, FIGURES };

/* A figure of both rows, and its change as a difference of logarithms with an interval. */
typedef struct {
  double old, new, shift, low, high;
} change;

/* Without samples all that is known are the intervals of the medians. */
static change change_of_statistics(const bp_statistics *old, const bp_statistics *new)
{
  return (change){old->median, new->median, log(new->median / old->median),
                  log(new->low / old->high), log(new->high / old->low)};
}

static change change_of_median(const bp_timing *old, const bp_timing *new, double alpha)
{
  double a[BP_BATCHES], b[BP_BATCHES];
  int a_count = bp_statistics_batches(old->samples, old->statistics.count, a);
  int b_count = bp_statistics_batches(new->samples, new->statistics.count, b);
  for (int n = 0; n < a_count; ++n)
    a[n] = log(a[n]);
  for (int n = 0; n < b_count; ++n)
    b[n] = log(b[n]);
  bp_rank_test test = bp_statistics_rank_test(a, a_count, b, b_count, alpha);
  double wider = fmax(bp_statistics_inertia(a, a_count), bp_statistics_inertia(b, b_count));
  return (change){old->statistics.median, new->statistics.median, test.shift,
                  test.shift - wider *(test.shift - test.low),
                  test.shift + wider *(test.high - test.shift)};
}

static change change_of_floor(const bp_timing *old, const bp_timing *new, double alpha)
{
  bp_floor a = bp_statistics_floor(old->samples, old->statistics.count, alpha / 2);
  bp_floor b = bp_statistics_floor(new->samples, new->statistics.count, alpha / 2);
  change c = {a.value, b.value, log(b.value / a.value), log(b.low / a.high), log(b.high / a.low)};
  if (old->statistics.count < SAMPLES_LEAST || new->statistics.count < SAMPLES_LEAST) {
    c.low = -INFINITY;
    c.high = INFINITY;
  }
  return c;
}

static change change_of(int figure, const bp_timing *old, const bp_timing *new, double alpha)
{
  if (!old->samples || !new->samples)
    return change_of_statistics(&old->statistics, &new->statistics);
  return figure == FLOOR ? change_of_floor(old, new, alpha) : change_of_median(old, new, alpha);
}

static bool has_times(const bp_row *row)
{
  return row && row->status == BP_ROW_OK && row->seconds.statistics.count > 0;
}

static bool is_pair(const bp_compared_row *row)
{
  return has_times(row->old) && has_times(row->new);
}

static bool has_copies(const bp_compared_row *row)
{
  return row->old->copy.seconds.statistics.count > 0 && row->new->copy.seconds.statistics.count > 0;
}

/* Three robust standard deviations of values around what most of them share; `values` is sorted. */
static double spread_of(double *values, size_t count)
{
  if (count == 0)
    return INFINITY;
  bp_statistics_sort(values, count);
  double middle = values[(count - 1) / 2];
  for (size_t n = 0; n < count; ++n)
    values[n] = fabs(values[n] - middle);
  bp_statistics_sort(values, count);
  return 3 * 1.4826 * values[(count - 1) / 2];
}

/* Most rows are the same program, and all copies are: what either differs by is noise. */
static double wander_of(const bp_comparison *c, int figure)
{
  double *copies = bp_alloc((size_t)c->count, sizeof *copies);
  double *kernels = bp_alloc((size_t)c->count, sizeof *kernels);
  size_t copies_count = 0, kernels_count = 0;
  for (int64_t n = 0; n < c->count; ++n) {
    const bp_compared_row *row = &c->rows[n];
    if (!is_pair(row))
      continue;
    kernels[kernels_count++] = change_of(figure, &row->old->seconds, &row->new->seconds, 1).shift;
    if (has_copies(row))
      copies[copies_count++] =
          change_of(figure, &row->old->copy.seconds, &row->new->copy.seconds, 1).shift;
  }
  double copy_spread = spread_of(copies, copies_count);
  double wander = fmin(spread_of(kernels, kernels_count), copy_spread);
  bp_free(copies);
  bp_free(kernels);
  return isfinite(wander) ? fmax(wander, LEAST_WANDER) : LEAST_WANDER;
}

static bool was(const bp_compared_row *row, bp_row_status status)
{
  for (int n = 0; n < row->old_count; ++n)
    if (row->old_runs[n]->status == status)
      return true;
  return false;
}

/* What one of the old runs was already is no news. */
static bp_verdict verdict_without_times(const bp_compared_row *row)
{
  if (!row->old || !row->new)
    return row->old ? BP_VERDICT_MISSING : BP_VERDICT_NEW;
  if (row->old->status != BP_ROW_OK ||
      (was(row, row->new->status) && row->new->status != BP_ROW_OK))
    return BP_VERDICT_NONE;
  return row->new->status == BP_ROW_WRONG ? BP_VERDICT_BROKEN : BP_VERDICT_LOST;
}

/* How far the samples wander within a run: the median above the floor. From run to run they may do
 * so too, and one run does not show it. */
static double restlessness_of(const bp_timing *timing)
{
  const bp_statistics *s = &timing->statistics;
  double low = timing->samples ? bp_statistics_floor(timing->samples, s->count, 1).value : s->low;
  return log(s->median / low);
}

/* What runs of one build may differ by although no run shows it; 0 where there are enough of them
 * to see. */
static double spread_of_runs(const bp_compared_row *row)
{
  if (row->old_count >= BP_RUNS_ENOUGH && row->new_count >= BP_RUNS_ENOUGH)
    return 0;
  return strcmp(row->old->backend, "cpu") == 0 ? CPU_SPREAD : LEAST_WANDER;
}

/* What to widen an interval by; where there are several runs, their differences show most of it. */
static double noise_of(const bp_compared_row *row, double wander)
{
  double spread = spread_of_runs(row);
  if (spread == 0)
    return 0.5 * LEAST_WANDER;
  return fmax(wander, spread) +
         fmax(restlessness_of(&row->old->seconds), restlessness_of(&row->new->seconds));
}

/* What one figure alone says, put into the row. */
static void judge_figure(bp_compared_row *row, const bp_comparison *c, int figure, double alpha)
{
  change kernel = change_of(figure, &row->old->seconds, &row->new->seconds, alpha);
  double low = kernel.low, high = kernel.high;
  if (has_copies(row)) {
    change copy = change_of(figure, &row->old->copy.seconds, &row->new->copy.seconds, alpha);
    low = fmin(low, kernel.low - copy.high);
    high = fmax(high, kernel.high - copy.low);
    row->copy_change = expm1(copy.shift);
  }
  row->by_floor = figure == FLOOR;
  row->old_seconds = kernel.old;
  row->new_seconds = kernel.new;
  row->change = expm1(kernel.shift);
  double noise = noise_of(row, c->wander[figure]);
  row->low = expm1(low - noise);
  row->high = expm1(high + noise);
  row->verdict = row->low > 0                                           ? BP_VERDICT_SLOWER
                 : row->high < 0                                        ? BP_VERDICT_FASTER
                 : row->low > -c->threshold && row->high < c->threshold ? BP_VERDICT_SAME
                                                                        : BP_VERDICT_INCONCLUSIVE;
}

/* A ratio of two overheads says nothing of kernels; but no overhead grows by more than itself unseen. */
static bool is_overhead(const bp_row *old, const bp_row *new)
{
  if (!bp_row_is_overhead(old) && !bp_row_is_overhead(new))
    return false;
  double most = fmax(old->overhead_seconds, new->overhead_seconds); /* NaN is the less */
  return fabs(new->seconds.statistics.median - old->seconds.statistics.median) <= most;
}

/* One run against one run. */
static void judge_pair(bp_compared_row *row, const bp_comparison *c, double alpha)
{
  if (!is_pair(row)) {
    row->verdict = verdict_without_times(row);
    return;
  }
  bp_compared_row by_median = *row;
  judge_figure(&by_median, c, MEDIAN, alpha / 2);
  judge_figure(row, c, FLOOR, alpha / 2);
  if (row->verdict == BP_VERDICT_INCONCLUSIVE &&
      (by_median.verdict != row->verdict || by_median.high - by_median.low < row->high - row->low))
    *row =
        by_median; /* which of two inconclusive ones is shown makes no difference to the verdict */
  else if (by_median.verdict != BP_VERDICT_INCONCLUSIVE && by_median.verdict != row->verdict)
    row->verdict = BP_VERDICT_INCONCLUSIVE;
  if (bp_row_is_busy(row->old) || bp_row_is_busy(row->new))
    row->verdict = BP_VERDICT_INCONCLUSIVE;
  else if (is_overhead(row->old, row->new))
    row->verdict = BP_VERDICT_OVERHEAD;
}

/* What goes before what where runs disagree about more than time; in the order of the verdicts. */
static bool is_worse(bp_verdict verdict, bp_verdict other)
{
  return verdict == BP_VERDICT_BROKEN || (verdict == BP_VERDICT_LOST && other != BP_VERDICT_BROKEN);
}

/* All runs against all: a verdict stands where every pair gives it, its interval holds all of theirs. */
static void judge(bp_compared_row *row, const bp_comparison *c, double alpha)
{
  judge_pair(row, c, alpha);
  for (int n = 1; n < row->old_count * row->new_count; ++n) {
    bp_compared_row pair = *row;
    pair.old = row->old_runs[n / row->new_count];
    pair.new = row->new_runs[n % row->new_count];
    judge_pair(&pair, c, alpha);
    row->low = fmin(row->low, pair.low);
    row->high = fmax(row->high, pair.high);
    if (is_worse(pair.verdict, row->verdict))
      row->verdict = pair.verdict;
    else if (pair.verdict != row->verdict && !is_worse(row->verdict, pair.verdict))
      row->verdict = BP_VERDICT_INCONCLUSIVE;
  }
  row->is_regression = row->verdict == BP_VERDICT_BROKEN ||
                       (row->verdict == BP_VERDICT_SLOWER && row->low > c->threshold);
}

/* ---- environments ---- */

static void add_difference(bp_comparison *c, const char *key, const char *old, const char *new)
{
  c->differences =
      bp_realloc(c->differences, (size_t)c->differences_count + 1, sizeof *c->differences);
  c->differences[c->differences_count++] = (bp_difference){key, old, new};
}

static void find_differences(bp_comparison *c, const bp_record *old, const bp_record *new)
{
  if (strcmp(old->version, new->version) != 0)
    add_difference(c, "bp", old->version, new->version);
  for (int64_t n = 0; n < old->environment_count; ++n) {
    const bp_fact *mine = &old->environment[n], *other = bp_record_find_fact(new, mine->key);
    if (!other || strcmp(other->value, mine->value) != 0)
      add_difference(c, mine->key, mine->value, other ? other->value : NULL);
  }
  for (int64_t n = 0; n < new->environment_count; ++n)
    if (!bp_record_find_fact(old, new->environment[n].key))
      add_difference(c, new->environment[n].key, NULL, new->environment[n].value);
}

bp_comparison *bp_compare(const bp_record *old, const bp_record *new, double threshold)
{
  bp_comparison *c = bp_alloc(1, sizeof *c);
  int64_t pairs = 0;
  c->threshold = threshold;
  find_differences(c, old, new);
  bp_compare_match(c, old, new);
  for (int64_t n = 0; n < c->count; ++n) {
    bp_compared_row *row = &c->rows[n];
    row->old_seconds = row->new_seconds = row->change = row->low = row->high = NAN;
    row->copy_change = NAN;
    if (!is_pair(row))
      continue;
    ++pairs;
    c->spread = fmax(c->spread, spread_of_runs(row));
  }
  for (int figure = 0; figure < FIGURES; ++figure)
    c->wander[figure] = wander_of(c, figure);
  for (int64_t n = 0; n < c->count; ++n) {
    judge(&c->rows[n], c, FALSE_ALARMS / (double)(pairs ? pairs : 1));
    ++c->counts[c->rows[n].verdict];
    c->regressions += c->rows[n].is_regression;
  }
  return c;
}

bool bp_comparison_is_mute(const bp_comparison *c)
{
  return c->counts[BP_VERDICT_SLOWER] + c->counts[BP_VERDICT_FASTER] + c->counts[BP_VERDICT_SAME] +
             c->counts[BP_VERDICT_BROKEN] ==
         0;
}

bool bp_compare_is_faster(const bp_row *const *runs, int count, const bp_row *const *others,
                          int others_count)
{
  const bp_comparison c = {.threshold = LEAST_WANDER, .wander = {LEAST_WANDER, LEAST_WANDER}};
  bp_compared_row row = {.old = others[0],
                         .new = runs[0],
                         .old_runs = (const bp_row **)others,
                         .new_runs = (const bp_row **)runs,
                         .old_count = others_count,
                         .new_count = count};
  judge(&row, &c, FALSE_ALARMS);
  return row.verdict == BP_VERDICT_FASTER;
}

void bp_comparison_destroy(bp_comparison *comparison)
{
  if (!comparison)
    return;
  for (int64_t n = 0; n < comparison->count; ++n) {
    bp_free(comparison->rows[n].old_runs);
    bp_free(comparison->rows[n].new_runs);
  }
  bp_free(comparison->rows);
  bp_free(comparison->differences);
  bp_free(comparison);
}
