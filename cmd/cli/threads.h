/* threads.h -- whether the machine can start as many threads as the environment asks for. */
#ifndef BP_CMD_THREADS_H
#define BP_CMD_THREADS_H

#include "base/status.h"

/* Looks at OMP_NUM_THREADS and the like as the OpenMP runtime understands them; more threads than processors
 * are started once to see. BP_BAD_INPUT for more than any machine has, BP_ENVIRONMENT for more than this one
 * lets a process have. No thread is left running. */
bp_status bp_threads_check(void);

#endif
