/* compare.c -- matching the rows of two records and judging each pair. */
#include "report/compare.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One false alarm in so many comparisons of records; the least that runs differ by for no reason.
 */
static const double FALSE_ALARMS = 0.01, LEAST_WANDER = 0.01;

const char *const bp_verdict_names[BP_VERDICTS] = {[BP_VERDICT_SLOWER] = "slower",
                                                   [BP_VERDICT_FASTER] = "faster",
                                                   [BP_VERDICT_SAME] = "same",
                                                   [BP_VERDICT_INCONCLUSIVE] = "inconclusive",
                                                   [BP_VERDICT_BROKEN] = "BROKEN",
                                                   [BP_VERDICT_LOST] = "now skipped",
                                                   [BP_VERDICT_MISSING] = "missing",
                                                   [BP_VERDICT_NEW] = "new",
                                                   [BP_VERDICT_NONE] = "nothing to compare"};

/* ---- matching ---- */

typedef struct {
  const bp_row *row;
  char *name;
} keyed;

static int by_name(const void *a, const void *b)
{
  const keyed *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  if (order)
    return order;
  return x->row < y->row ? -1
                         : x->row > y->row; /* rows lie in one array: the order of the record */
}

static keyed *keyed_rows(const bp_record *record)
{
  keyed *rows = bp_alloc((size_t)record->rows_count, sizeof *rows);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    const bp_row *r = &record->rows[n];
    rows[n].row = r;
    rows[n].name = bp_format("%s\n%s\n%s\n%d\n%s\n%lld\n%s\n%s\n%s\n%.17g", r->problem, r->variant,
                             r->options, r->degree, r->mesh, (long long)r->elements, r->device,
                             r->backend, r->cache, r->lambda);
  }
  qsort(rows, (size_t)record->rows_count, sizeof *rows, by_name);
  return rows;
}

static void keyed_destroy(keyed *rows, int64_t count)
{
  for (int64_t n = 0; n < count; ++n)
    bp_free(rows[n].name);
  bp_free(rows);
}

static int in_order(const void *a, const void *b)
{
  const bp_compared_row *x = a, *y = b;
  if (!x->old != !y->old)
    return x->old ? -1 : 1;
  const bp_row *p = x->old ? x->old : x->new, *q = y->old ? y->old : y->new;
  return p < q ? -1 : p > q;
}

static void match_rows(bp_comparison *c, const bp_record *old, const bp_record *new)
{
  keyed *a = keyed_rows(old), *b = keyed_rows(new);
  int64_t i = 0, j = 0;
  c->rows = bp_alloc((size_t)(old->rows_count + new->rows_count), sizeof *c->rows);
  while (i < old->rows_count || j < new->rows_count) {
    int order = i == old->rows_count ? 1 : j == new->rows_count ? -1 : strcmp(a[i].name, b[j].name);
    bp_compared_row *row = &c->rows[c->count++];
    if (order <= 0)
      row->old = a[i++].row;
    if (order >= 0)
      row->new = b[j++].row;
  }
  qsort(c->rows, (size_t)c->count, sizeof *c->rows, in_order);
  keyed_destroy(a, old->rows_count);
  keyed_destroy(b, new->rows_count);
}

/* ---- judging ---- */

/* Change of the logarithm of a time, with its interval. */
typedef struct {
  double shift, low, high;
} change;

static change change_of(const bp_timing *old, const bp_timing *new, double alpha)
{
  double a[BP_BATCHES], b[BP_BATCHES];
  if (!old->samples || !new->samples) { /* all that is known are the intervals of the medians */
    const bp_statistics *s = &old->statistics, *t = &new->statistics;
    return (change){log(t->median / s->median), log(t->low / s->high), log(t->high / s->low)};
  }
  int a_count = bp_statistics_batches(old->samples, old->statistics.count, a);
  int b_count = bp_statistics_batches(new->samples, new->statistics.count, b);
  for (int n = 0; n < a_count; ++n)
    a[n] = log(a[n]);
  for (int n = 0; n < b_count; ++n)
    b[n] = log(b[n]);
  bp_rank_test test = bp_statistics_rank_test(a, a_count, b, b_count, alpha);
  double wider = fmax(bp_statistics_inertia(a, a_count), bp_statistics_inertia(b, b_count));
  return (change){test.shift, test.shift - wider * (test.shift - test.low),
                  test.shift + wider * (test.high - test.shift)};
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

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The copies do the same work in both runs: three robust standard deviations of their changes,
 * around the change that all share. */
static double wander_of(const bp_comparison *c)
{
  double *changes = bp_alloc((size_t)c->count, sizeof *changes), wander = LEAST_WANDER;
  size_t count = 0;
  for (int64_t n = 0; n < c->count; ++n)
    if (isfinite(c->rows[n].copy_change))
      changes[count++] = log1p(c->rows[n].copy_change);
  if (count > 0) {
    qsort(changes, count, sizeof *changes, ascending);
    double middle = changes[count / 2];
    for (size_t n = 0; n < count; ++n)
      changes[n] = fabs(changes[n] - middle);
    qsort(changes, count, sizeof *changes, ascending);
    wander = fmax(wander, 3 * 1.4826 * changes[count / 2]);
  }
  bp_free(changes);
  return wander;
}

static bp_verdict verdict_without_times(const bp_compared_row *row)
{
  if (!row->old || !row->new)
    return row->old ? BP_VERDICT_MISSING : BP_VERDICT_NEW;
  if (row->old->status != BP_ROW_OK)
    return BP_VERDICT_NONE;
  return row->new->status == BP_ROW_WRONG ? BP_VERDICT_BROKEN : BP_VERDICT_LOST;
}

static bp_verdict verdict_of(const bp_compared_row *row, double threshold)
{
  if (row->low > 0)
    return BP_VERDICT_SLOWER;
  if (row->high < 0)
    return BP_VERDICT_FASTER;
  return row->low > -threshold && row->high < threshold ? BP_VERDICT_SAME : BP_VERDICT_INCONCLUSIVE;
}

static void judge(bp_compared_row *row, const bp_comparison *c, double alpha)
{
  if (!is_pair(row)) {
    row->verdict = verdict_without_times(row);
    row->is_regression = row->verdict == BP_VERDICT_BROKEN;
    return;
  }
  change kernel = change_of(&row->old->seconds, &row->new->seconds, alpha);
  double low = kernel.low, high = kernel.high;
  if (has_copies(row)) {
    change copy = change_of(&row->old->copy.seconds, &row->new->copy.seconds, alpha);
    low = fmin(low, kernel.low - copy.high);
    high = fmax(high, kernel.high - copy.low);
  }
  row->change = expm1(kernel.shift);
  row->low = expm1(low - c->wander);
  row->high = expm1(high + c->wander);
  row->verdict = verdict_of(row, c->threshold);
  row->is_regression = row->low > c->threshold;
}

/* ---- environments ---- */

static const char *fact_of(const bp_record *record, const char *key)
{
  for (int n = 0; n < record->environment_count; ++n)
    if (strcmp(record->environment[n].key, key) == 0)
      return record->environment[n].value;
  return NULL;
}

static void find_differences(bp_comparison *c, const bp_record *old, const bp_record *new)
{
  size_t most = (size_t)old->environment_count + (size_t) new->environment_count + 1;
  c->differences = bp_alloc(most, sizeof *c->differences);
  if (strcmp(old->version, new->version) != 0)
    c->differences[c->differences_count++] = (bp_difference){"bp", old->version, new->version};
  for (int n = 0; n < old->environment_count; ++n) {
    const char *key = old->environment[n].key, *value = fact_of(new, key);
    if (!value || strcmp(value, old->environment[n].value) != 0)
      c->differences[c->differences_count++] =
          (bp_difference){key, old->environment[n].value, value};
  }
  for (int n = 0; n < new->environment_count; ++n)
    if (!fact_of(old, new->environment[n].key))
      c->differences[c->differences_count++] =
          (bp_difference){new->environment[n].key, NULL, new->environment[n].value};
}

bp_comparison *bp_compare(const bp_record *old, const bp_record *new, double threshold)
{
  bp_comparison *c = bp_alloc(1, sizeof *c);
  int64_t pairs = 0;
  c->threshold = threshold;
  find_differences(c, old, new);
  match_rows(c, old, new);
  for (int64_t n = 0; n < c->count; ++n) {
    bp_compared_row *row = &c->rows[n];
    row->change = row->low = row->high = row->copy_change = NAN;
    if (!is_pair(row))
      continue;
    ++pairs;
    if (has_copies(row))
      row->copy_change =
          row->new->copy.seconds.statistics.median / row->old->copy.seconds.statistics.median - 1;
  }
  c->wander = wander_of(c);
  for (int64_t n = 0; n < c->count; ++n) {
    judge(&c->rows[n], c, FALSE_ALARMS / (double)(pairs ? pairs : 1));
    ++c->counts[c->rows[n].verdict];
    c->regressions += c->rows[n].is_regression;
  }
  return c;
}

void bp_comparison_destroy(bp_comparison *comparison)
{
  if (!comparison)
    return;
  bp_free(comparison->rows);
  bp_free(comparison->differences);
  bp_free(comparison);
}
