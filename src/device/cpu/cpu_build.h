/* cpu_build.h -- C kernels: compiled for an instruction set and a space (device/jit/compile.h), opened as a
 * shared library. */
#ifndef BP_DEVICE_CPU_BUILD_H
#define BP_DEVICE_CPU_BUILD_H

#include "device/device.h"
#include "device/jit/compile.h"

/* By CC, the compiler that bp was built by, cc, gcc, clang. */
bp_status bp_cpu_compiler_create(bp_compiler **compiler);

/* Whether it is there already. */
bool bp_cpu_is_built(const bp_compiler *compiler, bp_isa isa, const bp_build *build);

/* Compiled, or found; *path is to be freed. May be called by several threads. BP_SKIPPED: there is no
 * compiler. Else as bp_compile. */
bp_status bp_cpu_compile(const bp_compiler *compiler, bp_isa isa, const bp_build *build,
                         char **path, double *seconds);

#endif
