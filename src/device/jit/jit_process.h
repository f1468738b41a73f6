/* jit_process.h -- compilations in processes of their own, many at once: one that crashes the compiler is
 * lost, and no more than that. */
#ifndef BP_DEVICE_JIT_PROCESS_H
#define BP_DEVICE_JIT_PROCESS_H

#include "device/jit/jit_nvrtc.h"

enum { BP_JIT_END_MAX = 100 };

/* Starts bp_nvrtc_compile; the input is needed no longer. Never NULL. */
typedef struct bp_jit_process bp_jit_process;
bp_jit_process *bp_jit_process_start(const bp_nvrtc_input *input);

/* First thing in main: does not return in a process that bp_jit_process_start has started. */
void bp_jit_become_compiler(void);

/* Waits until one of them has ended, and tells which. */
int bp_jit_process_wait(bp_jit_process *const *processes, int count);

/* Waits for it, frees it, and gives what bp_nvrtc_compile gave. When the compiler did not come to its end,
 * false, and `end` tells what it did: "crashed (signal 11)"; else `end` is "". */
bool bp_jit_process_finish(bp_jit_process *process, char **image, size_t *size, bp_text *log,
                           char end[BP_JIT_END_MAX]);

#endif
