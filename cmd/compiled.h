/* compiled.h -- `bp list --arch sm_90`: what the run-time compiler makes of the CUDA variants, without a
 * GPU. */
#ifndef BP_CMD_COMPILED_H
#define BP_CMD_COMPILED_H

#include "cli/command.h"

/* Compiles the wanted variants and rungs at the wanted degrees, in parallel, and prints a row for each
 * kernel. BP_ENVIRONMENT, after all rows, when one did not compile. */
bp_status bp_command_compiled(const bp_arguments *arguments);

#endif
