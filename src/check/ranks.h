/* ranks.h -- a solve or wave by several ranks against the same by one. */
#ifndef BP_CHECK_RANKS_H
#define BP_CHECK_RANKS_H

#include "check/task.h"

/* Starts them as processes of this one, which must not have started a thread. Rank 0 counts the outcomes. */
void bp_check_ranks(const bp_checked *t);

#endif
