/* statistics.h -- what a row of samples says: the median and how sure it is. No assumption about
 * the distribution is made; timings have long tails. */
#ifndef BP_MEASURE_STATISTICS_H
#define BP_MEASURE_STATISTICS_H

#include <stdint.h>

typedef struct {
  int64_t count;
  double minimum, median, maximum;
  double low, high; /* 95 % confidence interval of the median, from order statistics; with fewer
                       than six samples, the whole range */
} bp_statistics;

/* `samples` is not changed. count 0 gives zeros. */
bp_statistics bp_statistics_of(const double *samples, int64_t count);

#endif
