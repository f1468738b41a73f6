/* verify.h -- whether a plan computes the right thing: outputs poisoned, guards looked at, every
 * value compared with the reference. `check` and `run` both go through here. */
#ifndef BP_MEASURE_VERIFY_H
#define BP_MEASURE_VERIFY_H

#include "device/plan.h"

/* u[e][k][j][i]: 0: random in [-1,1); 1: one 1 per element, elsewhere 0. */
enum { BP_FILLS = 2 };
void bp_fill(int fill, uint64_t seed, const bp_problem *problem, double *u);

/* Applies the plan to what was last written to its workspace and compares with `reference`; `v` is
 * room for the result. BP_WRONG: bp_message() says what is wrong and where. *error is set whenever
 * a result was compared, else NaN. */
bp_status bp_verify(bp_plan *plan, const double *reference, double *v, double *error);

/* The same with errors relative to `scale`, as of bp_reference_error_to_scale, unless that is NULL. */
bp_status bp_verify_to_scale(bp_plan *plan, const double *reference, const double *scale, double *v,
                             double *error);
/* The last part of it: values, however they came about. */
bp_status bp_verify_values(const bp_problem *problem, const double *reference, const double *scale,
                           const double *v, double *error);
bool bp_same_bits(double a, double b);

/* Whether it gives the same bits as in v again, and again: BP_WRONG says which value does not. */
bp_status bp_verify_repeats(bp_plan *plan, const double *v);

#endif
