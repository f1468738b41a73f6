/* statistics.c -- median and its confidence interval. */
#include "measure/statistics.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
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
  qsort(s, (size_t)count, sizeof *s, ascending);
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
