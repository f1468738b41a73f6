/* shape.h -- the size of a choice's launches by the expressions of its header, and whether a device can
 * have them. */
#ifndef BP_DEVICE_SHAPE_H
#define BP_DEVICE_SHAPE_H

#include "device/device.h"

/* Fills in shapes[] of the variant's launches (of a CPU variant the one that there is) and *scratch, in
 * doubles of the whole device. BP_SKIPPED where the device cannot have them, BP_BAD_INPUT where an
 * expression is wrong. */
bp_status bp_shapes(const bp_device *device, const bp_build *build, int64_t elements,
                    bp_shape shapes[BP_LAUNCHES_MAX], int64_t *scratch);

/* Whether they can be had, and the threads and bytes of shared memory of the largest block. */
bool bp_shapes_fit(const bp_device *device, const bp_build *build, int64_t elements,
                   int64_t *threads, int64_t *shared);

/* How many launches the variant has: 1 of an operator on the CPU. */
int bp_shapes_count(const bp_variant *variant);

int64_t bp_shape_threads(const bp_shape *shape);

#endif
