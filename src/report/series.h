/* series.h -- the rows of a group as lines over the degree: one per variant with its options. */
#ifndef BP_REPORT_SERIES_H
#define BP_REPORT_SERIES_H

#include "report/group.h"

enum { BP_SERIES_DEGREES = 1025 };

typedef struct {
  char *label; /* the rung or the variant, with the options where those do not tell lines apart */
  const bp_row *rows[BP_SERIES_DEGREES]; /* by degree; NULL: none. Of several the better */
  double score;                          /* mean part of the fastest variant's rate, 0..1 */
  int first, last;                       /* degrees with a correct row; first > last: none */
} bp_series;

typedef struct {
  bp_series *series; /* in the order of the record */
  int count;
  bool is_chosen;                        /* there is one row per degree, and so one line */
  const bp_row *best[BP_SERIES_DEGREES]; /* fastest correct row, or NULL */
  int first, last;                       /* degrees with any row */
} bp_series_set;

bp_series_set bp_series_of(const bp_group *group);
void bp_series_destroy(bp_series_set *set);

/* Whether a row tells more of what its kernel can: right, not marked, faster. `other` may be NULL. */
bool bp_series_is_better(const bp_row *row, const bp_row *other);

/* Puts a row into a list of `count` that rises by `key`, where there is room for `most`; of equal ones the
 * better stays. */
void bp_series_insert(const bp_row **rows, int *count, int most, const bp_row *row,
                      double (*key)(const bp_row *row));

/* Indices of the `most` series with the highest score, in that order; returns how many. */
int bp_series_top(const bp_series_set *set, int most, int *indices);

/* Whether any row is of that degree, right or not. */
bool bp_series_has_degree(const bp_series_set *set, int degree);

/* GFLOPS of the fastest row, or its roofline; 0: no row has any. */
double bp_series_most(const bp_series_set *set);

#endif
