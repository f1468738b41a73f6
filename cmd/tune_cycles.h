/* tune_cycles.h -- `bp tune` of p-multigrid. */
#ifndef BP_CMD_TUNE_CYCLES_H
#define BP_CMD_TUNE_CYCLES_H

#include "bench/cases.h"
#include "cli/command.h"

/* Prints of each case what was tried, and the `bp run` of the fastest. The config is that of the cases. */
bp_status bp_tune_cycles_of(const bp_arguments *arguments, bp_config *config,
                            const bp_cases *cases);

#endif
