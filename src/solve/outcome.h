/* outcome.h -- whether a solve is right: its residual by the recurrence against that of the operator as the
 * formulas stand, and its solution against the known one. */
#ifndef BP_SOLVE_OUTCOME_H
#define BP_SOLVE_OUTCOME_H

#include "solve/system.h"

typedef struct {
  double residual;      /* the last |r| of the first, as the kernels say */
  double true_residual; /* |f - A x| / |f|, of the literal operator */
  double error;         /* how far the two are apart */
  double tolerance;     /* and how far they may be */
} bp_outcome;

/* BP_WRONG where they differ by more. Rounding lets them differ by some eps of the first one, in single
 * precision by what it does to x; a wrong operator makes them differ by as much as they are. */
bp_status bp_outcome_of(bp_system *system, const double *f, const double *x, int iterations,
                        const double *residuals, bp_outcome *outcome);

/* How many of the first iterations the textbook's conjugate gradients can do here in about a second. */
int bp_outcome_affordable(const bp_system *system, int iterations);

/* `residuals` against the textbook's, count + 1 of each. BP_WRONG: the first one that is too far off. As long
 * as rounding errors are small they agree in six digits of the first one, in single precision the first five in nearly
 * five; later iterations shift by some. Of one rank. */
bp_status bp_outcome_compare(const double *residuals, const double *textbook, int count,
                             bp_precision precision);

#endif
