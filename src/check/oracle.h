/* oracle.h -- operators on elements: inputs, and what the reference makes of them. */
#ifndef BP_CHECK_ORACLE_H
#define BP_CHECK_ORACLE_H

#include "check/task.h"
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

bp_check_oracle bp_check_oracle_create(const bp_checked *t, const bp_operator *op, bp_space space,
                                       int64_t elements);
void bp_check_oracle_destroy(bp_check_oracle *o);

/* Case n of the oracle in a workspace of its problem or of the first elements of it. */
bp_status bp_check_case(const bp_checked *t, bp_workspace *w, bp_check_oracle *o, int n);

#endif
