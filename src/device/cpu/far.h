/* far.h -- a step as that of the last of many elements: indices are those of a large problem, and only these
 * elements' part of it has memory (fenced.h). */
#ifndef BP_DEVICE_FAR_H
#define BP_DEVICE_FAR_H

#include "device/device.h"
#include "device/emulate/runtime/far_rows.h"

typedef struct {
  bp_step step;
  const bp_step *given;
  int64_t before; /* elements */
  far_rows views[BP_STEP_OPERANDS_MAX];
} bp_far;

/* `given` with `before` elements, a multiple of 512, ahead of its own. Of a solve unknowns inside these stand
 * ahead of its own, and numbers in its lists become larger until the step is closed. BP_SKIPPED: there is
 * no address space. */
bp_status bp_far_open(const bp_step *given, int64_t before, bp_far *far);
void bp_far_close(bp_far *far);

#endif
