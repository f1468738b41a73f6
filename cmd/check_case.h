/* check_case.h -- one choice of a variant on one set of inputs of the reference; what has come of it. */
#ifndef BP_CMD_CHECK_CASE_H
#define BP_CMD_CHECK_CASE_H

#include "check_choice.h"
#include "device/workspace.h"
#include "measure/verify.h"

enum { BP_CHECK_CASES = 3 };

/* One degree's problem with its largest count of elements; smaller ones use its first elements. */
typedef struct {
  bp_problem *problem;
  double *u[BP_FILLS], *reference[BP_CHECK_CASES], *v;
  double lambda[BP_CHECK_CASES];
  int cases; /* how many are of use */
} bp_check_oracle;

bp_check_oracle bp_check_oracle_create(const bp_check *c, const bp_operator *op, bp_space space,
                                       int64_t elements);
void bp_check_oracle_destroy(bp_check_oracle *o);

bp_device_options bp_check_device_options(const bp_check *c);
bp_build bp_check_build(const bp_check *c, const bp_choice *choice, int degree, int beyond);

/* Case n of the oracle in a workspace of its problem or of the first elements of it. */
bp_status bp_check_case(const bp_check *c, bp_workspace *w, const bp_choice *choice,
                        bp_check_oracle *o, int n);

/* A CPU kernel has so many seconds to end from now on; 0: none runs. */
void bp_check_set_limit(const bp_check *c, int seconds);

/* Counts a failure, and prints it unless the choice has had its share of lines. */
void bp_check_fail(const bp_check *c, const bp_choice *choice, const char *what);
void bp_check_count_outcome(const bp_check *c, const bp_choice *choice, bp_status status);

#endif
