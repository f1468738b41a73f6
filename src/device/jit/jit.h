/* jit.h -- CUDA variants compiled while bp runs: for one architecture, degree and set of options,
 * with a memory within the process and one on disk (jit_cache.h). Needs libnvrtc, but no GPU. */
#ifndef BP_DEVICE_JIT_H
#define BP_DEVICE_JIT_H

#include "device/device.h"
#include <stddef.h>

/* What the compiler says of one kernel. */
typedef struct {
  char *kernel;
  int64_t registers; /* of a thread */
  int64_t
      stack_bytes; /* local memory of a thread: spilled registers and arrays without registers */
  int64_t spill_bytes;  /* spilled registers alone, stores + loads */
  int64_t shared_bytes; /* static */
} bp_jit_kernel;

enum { BP_JIT_KERNELS_MAX = 16 };

/* A compilation, good or bad; belongs to the jit and lives as long as the program. */
typedef struct {
  char *image; /* machine code, or PTX, which ends with '\0'; NULL when it failed */
  size_t size;
  bool is_ptx; /* then `kernels` is empty */
  bp_jit_kernel kernels[BP_JIT_KERNELS_MAX];
  int kernels_count;
  double seconds; /* that compiling took; 0 when it came from the disk */
  char *error;    /* what went wrong, with what the compiler said; NULL when it is good */
  bool
      too_large; /* the error is only that it wants more static shared memory than a block may have */
} bp_jit_code;

/* `sm` is 90 for sm_90. */
typedef struct {
  bp_build build;
  int sm;
  bool for_newer; /* the device is newer: PTX, of which the driver makes its machine code */
} bp_jit_request;

/* Opens the compiler. BP_ENVIRONMENT with a line that helps. `driver_major` as in jit_nvrtc.h. */
bp_status bp_jit_open(int driver_major);

/* BP_ENVIRONMENT where it does not compile for that architecture or a newer one. */
bp_status bp_jit_check(int sm);

/* "13.0", "" before it is open. */
const char *bp_jit_version(void);

/* Compiles, or remembers. BP_SKIPPED where it wants more static shared memory than a block may have;
 * BP_ENVIRONMENT where the source has errors (bp_message() has them, with file and line), the compiler does
 * not know the architecture, or it crashes: it runs in a process of its own. */
bp_status bp_jit_compile(const bp_jit_request *request, const bp_jit_code **code);

/* The same for many, so many at once (0: as many as there are processors); failures are kept for
 * bp_jit_compile. */
void bp_jit_compile_all(const bp_jit_request *requests, int count, int at_once);

#endif
