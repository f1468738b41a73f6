/* number.h -- figures for people: four digits, a unit, '.' in every locale. Not finite: "-". */
#ifndef BP_REPORT_NUMBER_H
#define BP_REPORT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum { BP_NUMBER = 40 };
typedef char bp_number[BP_NUMBER];

/* All return `out`. */
char *bp_number_fixed(bp_number out, double value, int decimals);
/* Four significant digits, whole above that: "0.01235", "12.35", "12346". */
char *bp_number_four(bp_number out, double value);
/* "41.23 us", "1.234 ms", "12.34 s"; with `micro`, "µs" (UTF-8) instead of "us". */
char *bp_number_seconds(bp_number out, double seconds, bool micro);
/* A fraction as "97.8 %", and below 1 % with one digit more. */
char *bp_number_percent(bp_number out, double fraction);
/* "4,096". */
char *bp_number_grouped(bp_number out, int64_t value);
/* "2.097 M", "512". */
char *bp_number_count(bp_number out, double value);
/* "2.3e-16". */
char *bp_number_small(bp_number out, double value);

#endif
