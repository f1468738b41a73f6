/* ranks.h -- the processes of a job, as a config or a command line asks for them. */
#ifndef BP_CMD_RANKS_H
#define BP_CMD_RANKS_H

#include "cli/command.h"
#include "comm/comm.h"
#include "config/config.h"

/* Starts the ranks, which all return from it, each with its share of the processors;
 * config->threads is set. `what` are lines that have to be the same on all ranks, as the config
 * has; another one is an error. *comm NULL: this process has only waited for them, and the status
 * is the job's. Before anything that starts a thread; bp_comm_close is the end. */
bp_status bp_ranks_open(bp_config *config, const char *what, bp_comm **comm);

/* For a process that fails before that: the other ranks that MPI has started get to know. Returns
 * the status to end with. */
bp_status bp_ranks_give_up(bp_status status);

/* The same for a command without a config. */
bp_status bp_ranks_open_arguments(const bp_arguments *arguments, bp_config **config,
                                  bp_comm **comm);

#endif
