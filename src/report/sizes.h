/* sizes.h -- a problem at one degree at many sizes: how large it must be, and what an iteration costs
 * however small it is. */
#ifndef BP_REPORT_SIZES_H
#define BP_REPORT_SIZES_H

#include "report/plot.h"

enum { BP_SIZES_LEAST = 3 }; /* so many sizes are a figure of their own */

/* GDOF/s by DOFs, sizes ascending: the fastest row of each. */
bp_curve bp_sizes_curve(const bp_record *record, const bp_row *first, int degree);

/* Which share of the highest rate says how large a problem must be: 0.8 of a solve, else 0.5. */
double bp_sizes_share(const bp_row *row);

/* Whether the highest rate is what large problems reach: that of enough sizes, no row that is mostly
 * overhead, and followed by lower ones or at least 90 % of the rate at which the DOFs of the last step
 * were done. */
bool bp_sizes_is_settled(const bp_point *points, int count);

/* Where the rate first reaches `share` of the highest, *rate, sizes ascending; NaN where the first does or
 * the highest is not settled. */
double bp_sizes_reach(const bp_point *points, int count, double share, double *rate);

/* T0 of T(n) = T0 + n / R: through the smallest size, with R the highest rate. Seconds. */
double bp_sizes_floor(const bp_point *points, int count);

/* A line for each problem and degree of solves that has enough sizes: T0, n0.8, t0.8. */
void bp_sizes_print(const bp_record *record, bool unicode, bp_text *text);

#endif
