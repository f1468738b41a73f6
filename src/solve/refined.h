/* refined.h -- a system in double by conjugate gradients in single precision.
 *
 * Iterations in double are those of p-multigrid (multigrid.h), with conjugate gradients in single in the place of the
 * cycle: each takes the residual to a small part of itself, as far as floats can, and what comes of it, whatever its
 * rounding errors, is made A-orthogonal to the last direction in double. So the answer is that of the double system.
 * How many iterations in single each of them has is found out before (bp_refined_find), as kernels do not stop by
 * themselves. */
#ifndef BP_SOLVE_REFINED_H
#define BP_SOLVE_REFINED_H

#include "solve/scheme.h"

typedef struct bp_refined bp_refined;

/* For plans of the scheme, in double and with space.multigrid, which must outlive it. `jacobi`: the diagonal
 * preconditions in single. BP_SKIPPED: there are no kernels for it, and which. */
bp_status bp_refined_create(bp_scheme *scheme, bool jacobi, bp_refined **refined);
void bp_refined_destroy(bp_refined *refined); /* NULL is legal */

/* `choice`: a variant in single. The plan must be destroyed before. */
bp_status bp_refined_plan(bp_refined *refined, const bp_choice *choice, bp_plan **plan);

/* As bp_scheme_run_to: with no more than plan->iterations in single in all. plan->iterations becomes how
 * many there are in double, plan->inner in single. BP_WRONG: floats get no further, and where. */
bp_status bp_refined_find(bp_refined *refined, bp_plan *plan, double tolerance, double *x,
                          double *residuals, bool *reached);

#endif
