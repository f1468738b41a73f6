/* cpu_array.c -- host memory with guard zones. */
#include "device/cpu/cpu_array.h"

#include "base/memory.h"
#include <string.h>

enum { GUARD = 512 };

static const uint64_t guard_pattern =
    0x7ff4dead5afe6a4d; /* a signalling NaN that nothing computes */

static void fill_guard(double *zone, int64_t count)
{
  for (int64_t n = 0; n < count; ++n)
    memcpy(&zone[n], &guard_pattern, sizeof *zone);
}

bp_cpu_array bp_cpu_array_create(const char *name, int64_t count, bool guarded)
{
  bp_cpu_array a = {.name = name, .count = count, .guard = guarded ? GUARD : 0};
  a.zone = bp_alloc_array((size_t)(count + 2 * a.guard), sizeof *a.zone);
  a.data = a.zone + a.guard;
  fill_guard(a.zone, a.guard);
  fill_guard(a.data + count, a.guard);
  return a;
}

void bp_cpu_array_destroy(bp_cpu_array *array)
{
  bp_free(array->zone);
  *array = (bp_cpu_array){0};
}

bp_status bp_cpu_array_check(const bp_cpu_array *array)
{
  const bp_cpu_array *a = array;
  for (int64_t n = 0; n < 2 * a->guard; ++n) {
    int64_t index = n < a->guard ? n - a->guard : a->count + n - a->guard;
    if (memcmp(&a->data[index], &guard_pattern, sizeof guard_pattern) != 0)
      return bp_fail(BP_WRONG, "wrote outside %s, at index %lld of %lld", a->name, (long long)index,
                     (long long)a->count);
  }
  return BP_OK;
}
