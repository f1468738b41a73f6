/* solve_wave.h -- `bp solve --problem wave`. */
#ifndef BP_CMD_SOLVE_WAVE_H
#define BP_CMD_SOLVE_WAVE_H

#include "cli/command.h"
#include "comm/comm.h"

bp_status bp_solve_wave(const bp_arguments *arguments, bp_comm *comm, int threads);

#endif
