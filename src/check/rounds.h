/* rounds.h -- so many elements on a GPU that persistent blocks come to a second round, in which slots of
 * shared memory are used again, and to more. */
#ifndef BP_CHECK_ROUNDS_H
#define BP_CHECK_ROUNDS_H

#include "check/oracle.h"

/* The oracle's elements again and again; elsewhere nothing. */
bp_status bp_check_rounds(const bp_checked *t, bp_device *device, const bp_check_oracle *o);

#endif
