/* jit_nvrtc.h -- NVIDIA's run-time compiler, opened when first needed. */
#ifndef BP_DEVICE_JIT_NVRTC_H
#define BP_DEVICE_JIT_NVRTC_H

#include "base/status.h"
#include "base/text.h"
#include <stddef.h>

/* Opens libnvrtc (BP_ENVIRONMENT when there is none from 12 on), the same major version as the
 * driver's where there is a choice; `driver_major` 0: the newest. Further calls change nothing. */
bp_status bp_nvrtc_open(int driver_major);

int bp_nvrtc_driver_major(void); /* with which it was opened */

/* "13.0"; only after bp_nvrtc_open, as the others. */
const char *bp_nvrtc_version(void);

/* What to compile for a device of architecture `sm`: "sm_90", machine code, or, when the compiler
 * is older than the device, "compute_120" with *is_ptx. BP_ENVIRONMENT for a device older than it
 * knows. */
bp_status bp_nvrtc_target(int sm, char target[24], bool *is_ptx);

typedef struct {
  const char *name, *source;
} bp_nvrtc_header;

typedef struct {
  const char *name, *source; /* name: the file, as messages will show it */
  const bp_nvrtc_header *headers;
  int headers_count;
  const char *const *options;
  int options_count;
  bool is_ptx;
} bp_nvrtc_input;

/* Compiles; *image is bp_alloc'ed. `log` gets what the compiler said, resources of kernels
 * included. False when it found errors. */
bool bp_nvrtc_compile(const bp_nvrtc_input *input, char **image, size_t *size, bp_text *log);

#endif
