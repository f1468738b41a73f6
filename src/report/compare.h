/* compare.h -- two records, row by row: what became faster or slower, beyond what noise explains.  How a
 * verdict comes about. Two figures stand for a row: the median of its samples and their floor, the lower
 * decile, which neighbours on the machine do not move. Each gets an interval for its change, at a level that
 * makes one false alarm in a hundred comparisons however many rows there are: median   samples are cut into
 * at most 20 batches, whose medians count as independent; the rank test on their logarithms, wider where
 * neighbouring batches are alike floor    order statistics, with fewer samples to count on where quick ones
 * come in clusters A machine that changed speed as a whole has moved the copy timed beside the kernel as
 * well, so the change that counts may lie anywhere between the kernel's own and the one relative to the
 * copy. What runs do from one to the next without any reason (where pages lie, who else computes) no single
 * run can show. It is taken to be what most rows or most copies differ by, 2 % at least, 20 % on a CPU, and
 * on top what the row's own samples wander within a run, the median above the floor; the interval is widened
 * by both. An interval says slower, faster   when all of it lies on one side of 0 same             when all
 * of it lies within the threshold inconclusive     otherwise. Of a row that is mostly overhead
 * (bp_row_is_overhead) in either record, a change by no more than the overhead is `overhead`, whatever the
 * interval says. Where records hold several runs of a row (merged records do), every run of one is judged
 * against every run of the other, and a verdict is given only where all agree: what runs differ by for no
 * reason at all is then seen, and from BP_RUNS_ENOUGH runs of each on the interval is widened by 1 % only.
 * (One run in five may be in the slow state that a row has; that three are and three others are not happens
 * once in a hundred comparisons.) A row that other work slowed (bp_row_is_busy) is inconclusive. The floor
 * decides, the median where the floor is inconclusive; where one says slower or faster and the other says
 * something else that is not inconclusive, the row is inconclusive. */
#ifndef BP_REPORT_COMPARE_H
#define BP_REPORT_COMPARE_H

#include "report/record.h"
#include "report/style.h"

enum { BP_RUNS_ENOUGH = 4 }; /* so many runs show how runs differ */

typedef enum {
  BP_VERDICT_SLOWER,
  BP_VERDICT_FASTER,
  BP_VERDICT_SAME,
  BP_VERDICT_INCONCLUSIVE,
  BP_VERDICT_OVERHEAD, /* mostly launches or threads, which explain the change */
  BP_VERDICT_BROKEN,   /* was ok, is wrong */
  BP_VERDICT_LOST,     /* was ok, is skipped */
  BP_VERDICT_MISSING,
  BP_VERDICT_NEW,
  BP_VERDICT_NONE, /* was not ok either: nothing to compare */
  BP_VERDICTS
} bp_verdict;

extern const char *const bp_verdict_names[BP_VERDICTS];

typedef struct {
  const bp_row *old, *new;             /* the first run of each; NULL: not in that record */
  const bp_row **old_runs, **new_runs; /* all of them, from records of several runs merged */
  int old_count, new_count;
  bool by_floor;                   /* which figure decided: the floor, else the median */
  double old_seconds, new_seconds; /* that figure; NaN without times, and so are the following */
  double change, low, high;        /* 0.1 is 10 % slower; the interval, widened */
  double copy_change;              /* of the same figure of the copy; NaN without */
  bp_verdict verdict;
  bool is_regression; /* slower by more than the threshold for all that noise can do, or broken */
} bp_compared_row;

typedef struct {
  const char *key, *old, *new; /* NULL: not in that record */
} bp_difference;

typedef struct {
  bp_compared_row *rows; /* in the order of the old record, then the new ones */
  int64_t count, counts[BP_VERDICTS], regressions;
  double threshold;
  double wander[2]; /* what most rows or copies differ by, of the median, of the floor */
  double spread;    /* at least so much intervals were widened by where runs are few; 0: nowhere */
  bp_difference *differences; /* of the environments */
  int differences_count;
} bp_comparison;

/* Rows are runs of the same when problem, variant, options, degree, mesh, elements, device, backend, cache
 * mode and lambda are. Points into both records. `threshold` is positive: 0.05 is 5 %. */
bp_comparison *bp_compare(const bp_record *old, const bp_record *new, double threshold);

/* Its first step: the rows, in order, each with its runs. */
void bp_compare_match(bp_comparison *c, const bp_record *old, const bp_record *new);

/* Whether bp_compare would call these runs of one row faster than those of another, each a record of its
 * own. All are correct and have times. */
bool bp_compare_is_faster(const bp_row *const *runs, int count, const bp_row *const *others,
                          int others_count);
void bp_comparison_destroy(bp_comparison *comparison);

/* Whether no row has a verdict on time or correctness: then nothing is known, and "no regression" says
 * nothing. */
bool bp_comparison_is_mute(const bp_comparison *comparison);

/* Two machines: the fastest row of each problem, degree and size beside that of the other record, each with
 * what it reaches of its own copy, and how many times as fast the first is; none where either is marked.
 * Whatever runs there: variants, options and devices are the machines' own. */
void bp_compare_across(const bp_record *first, const bp_record *second, bp_text *text);

/* What differs, a table of all rows, and a summary. */
void bp_comparison_table(const bp_comparison *comparison, const bp_style *style, bp_text *text);
void bp_comparison_json(const bp_comparison *comparison, bp_text *text);

#endif
