/* array.h -- memory of a device between two guard zones, which show when a kernel writes outside it.
 * BP_BEYOND_BYTES behind the last item may be read, whatever they are. */
#ifndef BP_DEVICE_ARRAY_H
#define BP_DEVICE_ARRAY_H

#include "device/device.h"

typedef struct {
  const char *name;      /* for messages */
  bp_address zone, data; /* data 0: none */
  int64_t count, bytes;  /* items; of an item */
  int64_t guard;         /* bytes on each side */
  bool is_narrow;        /* its items are floats, and the host's doubles */
} bp_array;

/* BP_ENVIRONMENT, with what was needed and what is free, when there is no room. */
bp_status bp_array_create(bp_device *device, const char *name, int64_t count, int64_t bytes,
                          bool guarded, bp_array *array);
void bp_array_destroy(bp_device *device, bp_array *array);
bp_status bp_array_write(bp_device *device, const bp_array *array, const void *values);
bp_status bp_array_read(bp_device *device, const bp_array *array, void *values);

/* All bits 1, of doubles a NaN; all bits 0. */
bp_status bp_array_poison(bp_device *device, const bp_array *array);
bp_status bp_array_clear(bp_device *device, const bp_array *array);

/* BP_WRONG when something was written beside it; the zones are whole again then. */
bp_status bp_array_check(bp_device *device, const bp_array *array);

/* BP_WRONG when it does not hold `values` any more; it does again then. */
bp_status bp_array_compare(bp_device *device, const bp_array *array, const void *values);

#endif
