/* check_children.h -- tasks of `bp check` in processes of their own: one that crashes or hangs is one failed
 * line, and the others go on. */
#ifndef BP_CMD_CHECK_CHILDREN_H
#define BP_CMD_CHECK_CHILDREN_H

#include "check_choice.h"

/* Adds to *total and prints a line for each task, in their order. Kernels of the emulator are one thread
 * each, so as many of their tasks run at once as there are processors; others run one by one.
 * BP_ENVIRONMENT. */
bp_status bp_check_run(const bp_check *check, const bp_check_tasks *tasks, bp_tally *total);

#endif
