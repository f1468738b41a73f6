/* species.h -- how the time of a point grows with the number of species NS: as a NS + b NS^2 + c NS^3. */
#ifndef BP_REPORT_SPECIES_H
#define BP_REPORT_SPECIES_H

#include "report/record.h"

enum { BP_SPECIES_TERMS = 3 };

/* Least squares of relative errors, so that few species count as much as many. y[n] > 0 of x[n] > 0,
 * n < count, more than terms. *worst: the largest relative error. False where x has too few different
 * values. */
bool bp_species_fit(int count, const double *x, const double *y, double terms[BP_SPECIES_TERMS],
                    double *worst);

/* A line for each variant and its options that has four or more numbers of species at as many points. */
void bp_species_print(const bp_record *record, bp_text *text);

#endif
