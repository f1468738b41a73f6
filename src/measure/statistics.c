/* statistics.c -- median, its confidence interval, batches, the rank test. */
#include "measure/statistics.h"

#include "base/memory.h"
#include "base/status.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void bp_statistics_sort(double *values, size_t count)
{
  qsort(values, count, sizeof *values, ascending);
}

/* How many samples to leave out at either end so that the rest holds the true median with 95 %: the
 * number below the median is binomial(n, 1/2). */
static int64_t left_out(int64_t n)
{
  double probability = pow(0.5, (double)n), below = 0;
  if (n > 1000) /* the binomial is as good as normal, and 2^-n is no double */
    return (int64_t)floor((double)n / 2 - 0.98 * sqrt((double)n));
  for (int64_t k = 0; k < n / 2; ++k) {
    below += probability;
    if (below > 0.025)
      return k;
    probability *= (double)(n - k) / (double)(k + 1);
  }
  return 0;
}

bp_statistics bp_statistics_of(const double *samples, int64_t count)
{
  if (count == 0)
    return (bp_statistics){0};
  double *s = bp_alloc((size_t)count, sizeof *s);
  memcpy(s, samples, (size_t)count * sizeof *s);
  bp_statistics_sort(s, (size_t)count);
  int64_t out = left_out(count);
  bp_statistics result = {
      .count = count,
      .minimum = s[0],
      .maximum = s[count - 1],
      .median = count % 2 ? s[count / 2] : 0.5 * (s[count / 2 - 1] + s[count / 2]),
      .low = s[out > 0 ? out - 1 : 0],
      .high = s[count - 1 - (out > 0 ? out - 1 : 0)],
  };
  bp_free(s);
  return result;
}

int bp_statistics_batches(const double *samples, int64_t count, double batches[BP_BATCHES])
{
  int number = count < BP_BATCHES ? (int)count : BP_BATCHES;
  for (int n = 0; n < number; ++n) {
    int64_t first = count * n / number, last = count * (n + 1) / number;
    batches[n] = bp_statistics_of(samples + first, last - first).median;
  }
  return number;
}

double bp_statistics_inertia(const double *values, int count)
{
  double mean = 0, all = 0, neighbours = 0;
  for (int n = 0; n < count; ++n)
    mean += values[n] / count;
  for (int n = 0; n < count; ++n)
    all += (values[n] - mean) * (values[n] - mean);
  for (int n = 1; n < count; ++n)
    neighbours += (values[n] - mean) * (values[n - 1] - mean);
  double r = all > 0 ? fmin(fmax(neighbours / all, 0), 0.9) : 0;
  return sqrt((1 + r) / (1 - r));
}

/* Of n values below the decile: the most k such that fewer than k are less likely than `tail`, and the fewest
 * such that k or more are. */
static void count_below(int n, double tail, int *least, int *most)
{
  double probability = pow(0.9, n), below = 0;
  *least = *most = 0;
  for (int k = 0; k < n && 1 - below > tail; ++k) {
    below += probability;
    probability *= (double)(n - k) / (k + 1) / 9;
    *least += below <= tail;
    *most = k + 1;
  }
}

bp_floor bp_statistics_floor(const double *samples, int64_t count, double alpha)
{
  enum { ENOUGH = 4000 }; /* 0.9^n is no double much above; fewer are only more careful */
  size_t bytes = (size_t)count * sizeof *samples;
  double *s = bp_alloc((size_t)count, sizeof *s), *is_below = bp_alloc((size_t)count, sizeof *s);
  memcpy(s, samples, bytes);
  bp_statistics_sort(s, (size_t)count);
  bp_floor floor_ = {.value = s[(count - 1) / 10], .low = s[0], .high = s[count - 1]};
  for (int64_t n = 0; n < count; ++n)
    is_below[n] = samples[n] <= floor_.value;
  double wider = bp_statistics_inertia(is_below, (int)fmin((double)count, INT32_MAX));
  double independent = fmin((double)count / (wider * wider), ENOUGH);
  int all = independent < 1 ? 1 : (int)independent;
  int least, most;
  count_below(all, alpha / 2, &least, &most);
  if (least > 0)
    floor_.low = s[(least - 1) * count / all];
  if (most * count / all < count)
    floor_.high = s[most * count / all];
  bp_free(is_below);
  bp_free(s);
  return floor_;
}

/* ways[u]: of all orders of m and n values, how many have u pairs in which the first comes later.
 * They are the coefficients of the product over i = 1..n of (1 - q^(m+i)) / (1 - q^i). */
static void count_orders(int m, int n, double *ways)
{
  int most = m * n;
  memset(ways, 0, (size_t)(most + 1) * sizeof *ways);
  ways[0] = 1;
  for (int i = 1; i <= n; ++i) {
    for (int u = most; u >= m + i; --u)
      ways[u] -= ways[u - m - i];
    for (int u = i; u <= most; ++u)
      ways[u] += ways[u - i];
  }
}

/* Pairs with b < a, ties half. */
static double pairs_below(const double *a, int a_count, const double *b, int b_count)
{
  double pairs = 0;
  for (int i = 0; i < a_count; ++i)
    for (int j = 0; j < b_count; ++j)
      pairs += b[j] < a[i] ? 1 : b[j] == a[i] ? 0.5 : 0;
  return pairs;
}

bp_rank_test bp_statistics_rank_test(const double *a, int a_count, const double *b, int b_count,
                                     double alpha)
{
  static const bp_rank_test nothing = {.low = -INFINITY, .high = INFINITY, .p = 1};
  double ways[BP_BATCHES * BP_BATCHES + 1], differences[BP_BATCHES * BP_BATCHES];
  int pairs = a_count * b_count, out = -1;
  BP_ASSERT(a_count <= BP_BATCHES && b_count <= BP_BATCHES);
  if (pairs == 0)
    return nothing;
  count_orders(a_count, b_count, ways);
  double all = 0, below = 0, tail = 0;
  for (int u = 0; u <= pairs; ++u)
    all += ways[u];
  double fewer = pairs_below(a, a_count, b, b_count);
  fewer = ceil(fewer < pairs - fewer ? fewer : pairs - fewer);
  for (int u = 0; u <= pairs / 2; ++u) {
    below += ways[u] / all;
    tail += u <= fewer ? ways[u] / all : 0;
    out = 2 * below <= alpha ? u : out;
  }
  for (int i = 0; i < a_count; ++i)
    for (int j = 0; j < b_count; ++j)
      differences[i * b_count + j] = b[j] - a[i];
  bp_statistics_sort(differences, (size_t)pairs);
  bp_rank_test test = nothing;
  test.shift = 0.5 * (differences[(pairs - 1) / 2] + differences[pairs / 2]);
  test.p = 2 * tail < 1 ? 2 * tail : 1;
  if (out >= 0) { /* the differences that a test at this level would not reject */
    test.low = differences[out];
    test.high = differences[pairs - 1 - out];
  }
  return test;
}
