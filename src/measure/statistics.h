/* statistics.h -- what a row of samples says: the median and how sure it is, and whether two rows
 * differ. No assumption about the distribution is made; timings have long tails. */
#ifndef BP_MEASURE_STATISTICS_H
#define BP_MEASURE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t count;
  double minimum, median, maximum;
  double low, high; /* 95 % confidence interval of the median, from order statistics; with fewer
                       than six samples, the whole range */
} bp_statistics;

/* Sorts them, rising. */
void bp_statistics_sort(double *values, size_t count);

/* `samples` is not changed. count 0 gives zeros. */
bp_statistics bp_statistics_of(const double *samples, int64_t count);

/* The lower decile: how long it takes when nothing disturbs. Neighbours on the machine only ever add time, so
 * this stays put where the median does not. low..high is its confidence interval at level 1 - alpha, wider
 * where quick samples come in clusters; with too few samples low is the minimum, high the maximum.
 * count > 0. */
typedef struct {
  double value, low, high;
} bp_floor;
bp_floor bp_statistics_floor(const double *samples, int64_t count, double alpha);

/* Neighbouring samples are alike, so a thousand of them are not a thousand independent ones. This
 * divides the row into at most BP_BATCHES runs of neighbours and gives the median of each: batches
 * that differ show how far the row wanders by itself. Returns how many: `count` itself when that is
 * less. */
enum { BP_BATCHES = 20 };
int bp_statistics_batches(const double *samples, int64_t count, double batches[BP_BATCHES]);

/* How much wider an interval must be because neighbouring values are alike: sqrt((1 + r) / (1 - r))
 * with r their correlation, from 0 to 0.9; so 1 or more. */
double bp_statistics_inertia(const double *values, int count);

/* The rank test of Mann and Whitney and the shift that goes with it (Hodges and Lehmann): how much
 * larger the values of `b` are than those of `a`. At most BP_BATCHES values each; neither is
 * changed. */
typedef struct {
  double shift;     /* median of all differences b - a */
  double low, high; /* its confidence interval at level 1 - alpha; infinite where so few values
                       cannot give that level */
  double p;         /* two-sided: how likely so clear an order is when nothing differs */
} bp_rank_test;

bp_rank_test bp_statistics_rank_test(const double *a, int a_count, const double *b, int b_count,
                                     double alpha);

#endif
