/* far.h -- a few elements as the last of more than 2^31 entries; those before them are not there. */
#ifndef BP_CHECK_FAR_H
#define BP_CHECK_FAR_H

#include "check/oracle.h"

/* Of an operator, on the oracle's first elements; how many those are. */
bp_status bp_check_far(const bp_checked *t, bp_isa isa, bp_check_oracle *o, int64_t elements);
int64_t bp_check_far_count(const bp_checked *t);

/* Of a solve or wave. */
bp_status bp_check_far_solve(const bp_checked *t, bp_isa isa, int degree);

#endif
