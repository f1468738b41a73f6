/* check_far.h -- a few elements as the last of more than 2^31 entries; those before them are not there. */
#ifndef BP_CMD_CHECK_FAR_H
#define BP_CMD_CHECK_FAR_H

#include "check_case.h"

/* Of an operator, on the oracle's first elements; how many those are. */
bp_status bp_check_far(const bp_check *c, bp_isa isa, const bp_choice *choice, bp_check_oracle *o,
                       int64_t elements);
int64_t bp_check_far_count(const bp_check *c);

/* Of a solve or wave. */
bp_status bp_check_far_solve(const bp_check *c, bp_isa isa, const bp_choice *choice, int degree);

#endif
