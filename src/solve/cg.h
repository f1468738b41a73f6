/* cg.h -- conjugate gradients as the textbook has them: what every scheme's solve is compared with.
 *
 * Vectors are in double, sums in extended precision; the same result for every number of threads. */
#ifndef BP_SOLVE_CG_H
#define BP_SOLVE_CG_H

#include "solve/system.h"

typedef struct {
  int iterations;   /* how many, or at most so many with a tolerance; > 0 */
  double tolerance; /* stop at a residual of so much of the first one; 0: never */
  bool jacobi;      /* precondition with the diagonal */
} bp_cg_options;

typedef struct {
  int iterations;       /* done */
  double *residuals;    /* |r|, iterations + 1 of them, from x = 0 on, by the recurrence */
  double true_residual; /* |f - A x| / |f|, 0 for f = 0 */
} bp_cg_result;

/* Solves A x = f from x = 0; f is 0 at fixed unknowns. Once r is exactly 0, further iterations change
 * nothing. */
void bp_cg_solve(bp_system *system, bp_cg_options options, const double *f, double *x,
                 bp_cg_result *result);

void bp_cg_result_destroy(bp_cg_result *result);

#endif
