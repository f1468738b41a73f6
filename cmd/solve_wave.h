/* solve_wave.h -- `bp solve --problem wave`. */
#ifndef BP_CMD_SOLVE_WAVE_H
#define BP_CMD_SOLVE_WAVE_H

#include "cli/command.h"

bp_status bp_solve_wave(const bp_arguments *arguments);

#endif
