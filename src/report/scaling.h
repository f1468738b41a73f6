/* scaling.h -- rows that differ in their ranks: how much faster more of them are. Strong scaling:
 * of the same mesh; weak scaling: of as many unknowns on each. The efficiency is the rate per rank
 * over that of the fewest ranks. */
#ifndef BP_REPORT_SCALING_H
#define BP_REPORT_SCALING_H

#include "report/record.h"
#include "report/style.h"

enum { BP_SCALING_POINTS = 64 };

typedef struct {
  bool is_weak;
  const bp_row *rows[BP_SCALING_POINTS]; /* ranks rising: the fastest of each number; two or more */
  int count;
} bp_scaling;

typedef struct {
  bp_scaling *items; /* in the order of the record, of a row strong before weak */
  int count;
} bp_scalings;

/* Points into `record`. */
bp_scalings bp_scalings_of(const bp_record *record);
void bp_scalings_destroy(bp_scalings *scalings);

/* Of point n; 1 of the first. */
double bp_scaling_efficiency(const bp_scaling *scaling, int n);

/* A table of each. */
void bp_scalings_print(const bp_record *record, const bp_style *style, bp_text *text);

#endif
