/* emulate.h -- the emulator's own parts: a kernel's text becomes a program (emulate_build.c), which runs
 * on the device's memory as a process of its own (emulate_run.c), so that a crash is one failed line. */
#ifndef BP_DEVICE_EMULATE_H
#define BP_DEVICE_EMULATE_H

#include "device/device.h"
#include "device/emulate/runtime/job.h"

/* The runtime's sources, name NULL at the end; generated from src/device/emulate/runtime/. */
extern const bp_kernel_header bp_emulated_sources[];

typedef struct bp_emulate_compiler bp_emulate_compiler;

/* `counts`: for bp_emulate_check_model. BP_ENVIRONMENT when there is no C++ compiler (BP_CXX, c++, g++,
 * clang++) or it cannot make the runtime. */
bp_status bp_emulate_compiler_create(bool counts, bp_emulate_compiler **compiler);
void bp_emulate_compiler_destroy(bp_emulate_compiler *compiler);

/* The program of one choice at one degree for an architecture: compiled, or found on disk where an earlier
 * one was kept.
 * *path is to be freed; *seconds is 0 when nothing was compiled. May be called by several threads.
 * BP_WRONG when the text does not compile: the first error with its file and line. */
bp_status bp_emulate_build(const bp_emulate_compiler *compiler, const bp_build *build, int sm,
                           char **path, double *seconds);

/* Runs it on `job`, whose file is `file`. BP_WRONG: what it found, and where in `source`, the name of
 * the variant's file. */
bp_status bp_emulate_run(const char *program, const char *source, bp_job *job, int file);

/* Of a device of this backend: what a program was last told and what it answered. */
const bp_job *bp_emulate_job(bp_device *device);

/* Runs a choice on a few elements with numbers that count, and holds what it does against the model
 * of bytes and flops (fem/operator.h) and its header's lines: BP_WRONG says what differs. BP_SKIPPED: it
 * cannot run. */
bp_status bp_emulate_check_model(const bp_device_options *options, const bp_build *build);

/* Runs it likewise and counts the accesses of shared memory by half-warps, of 128 bytes at most, and how few
 * it would take without bank conflicts and idle threads, both for an element. */
typedef struct {
  double accesses, least;
} bp_emulate_banks;
bp_status bp_emulate_count_banks(const bp_device_options *options, const bp_build *build,
                                 bp_emulate_banks *banks);

#endif
