/* cpu_array.h -- an array of doubles between two guard zones, which show when a kernel writes outside it. */
#ifndef BP_DEVICE_CPU_ARRAY_H
#define BP_DEVICE_CPU_ARRAY_H

#include "base/status.h"
#include <stdint.h>

typedef struct {
  const char *name; /* for messages */
  double *zone;     /* guard, data, guard */
  double *data;     /* aligned to a cache line */
  int64_t count, guard;
} bp_cpu_array;

/* Without guards where not `guarded`; the data are not touched. */
bp_cpu_array bp_cpu_array_create(const char *name, int64_t count, bool guarded);
void bp_cpu_array_destroy(bp_cpu_array *array);

/* BP_WRONG, with the index, when something was written to a guard zone. */
bp_status bp_cpu_array_check(const bp_cpu_array *array);

#endif
