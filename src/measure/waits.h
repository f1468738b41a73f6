/* waits.h -- whether samples tell of waiting rather than of work: for a processor that another program
 * has, for a clock that changes. Such a row has a median and a narrow interval like any other, and means
 * nothing. */
#ifndef BP_MEASURE_WAITS_H
#define BP_MEASURE_WAITS_H

#include <stdint.h>

/* What is strange about them, or NULL; free with bp_free. `empty` is the median of as many launches of
 * nothing in the same rounds, NaN where that is not known. */
char *bp_waits(const double *samples, int64_t count, double empty);

#endif
