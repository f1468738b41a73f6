/* compiler_log.h -- what compilers say: why they refuse, and ptxas's figures. */
#ifndef BP_DEVICE_COMPILER_LOG_H
#define BP_DEVICE_COMPILER_LOG_H

#include "device/jit/jit.h"

/* The log from the line of its first error on, be it of g++, a linker, NVRTC or ptxas; the whole log when it
 * has none. */
const char *bp_log_first_error(const char *log);
bool bp_log_has_error(const char *log);

/* Adds the kernels that the log has figures of. */
void bp_log_read_figures(const char *log, bp_jit_code *code);

#endif
