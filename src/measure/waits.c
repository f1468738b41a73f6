/* waits.c -- three marks of waiting: times on the scheduler's grid, two peaks, a minimum far below. */
#include "measure/waits.h"

#include "base/memory.h"
#include "base/text.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_LEAST = 6, LEAST = 3 };

static const double PART = 0.2; /* of the samples */

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Nearly all of them are whole numbers of quanta. One number only may be chance, and a rare sample that takes
 * longer proves no other one, unless nothing at all takes nearly as long. */
static bool is_on_grid(const double *sorted, int64_t count, double quantum, double empty)
{
  const double near = 0.02, most = 0.8, much = 0.2;
  double usual = round(sorted[count / 2] / quantum);
  int64_t on = 0, others = 0;
  for (int64_t n = 0; n < count; ++n) {
    double quanta = round(sorted[n] / quantum);
    if (quanta < 1 || fabs(sorted[n] - quanta * quantum) > near * quantum)
      continue;
    ++on;
    others += quanta != usual;
  }
  bool is_several = others >= LEAST && (double)others >= PART * (double)count;
  return (double)on >= most * (double)count && (is_several || empty > much * sorted[count / 2]);
}

/* How much longer the samples above the widest gap take than those below it; *share of them are above. So
 * many that the median is in doubt: fewer long ones are what happens on any machine, and fewer short ones
 * are no peak. */
static double gap_of(const double *sorted, int64_t count, double *share)
{
  const int64_t part = (int64_t)ceil(PART * (double)count), least = part > LEAST ? part : LEAST;
  double widest = 1;
  *share = 0;
  for (int64_t n = count / 10 + 1; n <= count - least; ++n) {
    if (sorted[n] / sorted[n - 1] <= widest)
      continue;
    widest = sorted[n] / sorted[n - 1];
    *share = (double)(count - n) / (double)count;
  }
  return widest;
}

static char *look(const double *sorted, int64_t count, double empty)
{
  static const double quanta[] = {4e-3, 1e-2, 1e-3}; /* of kernels with 250, 100 and 1000 ticks */
  const double apart = 1.5, far = 2;
  double share, median = sorted[count / 2];
  for (size_t n = 0; n < sizeof quanta / sizeof *quanta; ++n)
    if (is_on_grid(sorted, count, quanta[n], empty))
      return bp_format("waited: times are whole multiples of the scheduler's %g ms",
                       1e3 * quanta[n]);
  double gap = gap_of(sorted, count, &share);
  if (gap >= apart)
    return bp_format("waited: two peaks, %.0f %% of the samples take %.1f times as long",
                     100 * share, gap);
  if (median > far * sorted[0])
    return bp_format("waited: the median is %.1f times the minimum", median / sorted[0]);
  return NULL;
}

char *bp_waits(const double *samples, int64_t count, double empty)
{
  if (count < SAMPLES_LEAST)
    return NULL;
  double *sorted = bp_alloc((size_t)count, sizeof *sorted);
  memcpy(sorted, samples, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  char *what = look(sorted, count, empty);
  bp_free(sorted);
  return what;
}
