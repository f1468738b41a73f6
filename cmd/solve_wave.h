/* solve_wave.h -- `bp solve --problem wave`. */
#ifndef BP_CMD_SOLVE_WAVE_H
#define BP_CMD_SOLVE_WAVE_H

#include "one_case.h"

/* What is known before anything is computed: BP_BAD_INPUT for a slice that is none. */
bp_status bp_solve_wave_check(const bp_arguments *arguments);

/* Of a case that was found. Together. */
bp_status bp_solve_wave(const bp_arguments *arguments, bp_one_case *one);

#endif
