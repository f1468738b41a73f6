/* cuda_array.c -- device memory with guard zones. */
#include "device/cuda/cuda_device.h"

#include "base/memory.h"
#include "base/text.h"
#include <string.h>

/* In doubles; kernels may read the one that is BEYOND the last. */
enum { GUARD = 512, BEYOND = 1 };

/* Twice this is a signalling NaN that nothing computes. */
static const uint32_t guard_half = 0x7ff4dead, poison_half = 0xffffffff;

static bp_status failed(bp_cu_result result, const char *what, const char *name)
{
  char text[200];
  return bp_fail(BP_ENVIRONMENT, "cuda: %s %s: %s", what, name, bp_cuda_error(result, text));
}

static bp_status no_room(bp_cuda_device *device, const char *name, size_t bytes)
{
  char needed[32], there[32];
  size_t free_bytes = 0;
  device->calls->memory(device->context, &free_bytes);
  return bp_fail(BP_ENVIRONMENT, "cuda: out of device memory: %s needs %s, %s are free", name,
                 bp_print_bytes(needed, (double)bytes), bp_print_bytes(there, (double)free_bytes));
}

static bp_cu_pointer end_of(const bp_cuda_array *a)
{
  return a->data + (bp_cu_pointer)a->count * sizeof(double);
}

static bp_cu_result fill_guards(bp_cuda_device *device, const bp_cuda_array *a)
{
  size_t words = 2 * (size_t)a->guard;
  bp_cu_result result = 0;
  if (words)
    result = device->calls->fill(device->context, a->zone, guard_half, words);
  if (!result)
    result = device->calls->fill(device->context, end_of(a), guard_half, words + 2 * BEYOND);
  return result;
}

bp_status bp_cuda_array_create(bp_cuda_device *device, const char *name, int64_t count,
                               bool guarded, bp_cuda_array *array)
{
  bp_cuda_array a = {.name = name, .count = count, .guard = guarded ? GUARD : 0};
  size_t guard = (size_t)a.guard, bytes = ((size_t)count + 2 * guard + BEYOND) * sizeof(double);
  *array = (bp_cuda_array){0};
  bp_cu_result result = device->calls->alloc(device->context, bytes, &a.zone);
  if (result == BP_CU_OUT_OF_MEMORY)
    return no_room(device, name, bytes);
  if (result)
    return failed(result, "allocating", name);
  a.data = a.zone + guard * sizeof(double);
  result = fill_guards(device, &a);
  *array = a;
  return result ? failed(result, "guarding", name) : BP_OK;
}

void bp_cuda_array_destroy(bp_cuda_device *device, bp_cuda_array *array)
{
  if (array->zone)
    device->calls->release(device->context, array->zone);
  *array = (bp_cuda_array){0};
}

bp_status bp_cuda_array_write(bp_cuda_device *device, bp_cuda_array *array, const double *values)
{
  bp_cu_result result = device->calls->upload(device->context, array->data, values,
                                              (size_t)array->count * sizeof *values);
  return result ? failed(result, "writing", array->name) : BP_OK;
}

bp_status bp_cuda_array_read(bp_cuda_device *device, const bp_cuda_array *array, double *values)
{
  bp_cu_result result = device->calls->download(device->context, values, array->data,
                                                (size_t)array->count * sizeof *values);
  return result ? failed(result, "reading", array->name) : BP_OK;
}

static bp_status fill(bp_cuda_device *device, const bp_cuda_array *array, uint32_t half)
{
  bp_cu_result result = 0;
  if (array->count)
    result = device->calls->fill(device->context, array->data, half, 2 * (size_t)array->count);
  return result ? failed(result, "filling", array->name) : BP_OK;
}

bp_status bp_cuda_array_poison(bp_cuda_device *device, bp_cuda_array *array)
{
  return fill(device, array, poison_half);
}

bp_status bp_cuda_array_clear(bp_cuda_device *device, bp_cuda_array *array)
{
  return fill(device, array, 0);
}

bp_status bp_cuda_array_check(bp_cuda_device *device, const bp_cuda_array *array)
{
  uint32_t zone[2 * GUARD];
  for (int side = 0; side < 2 && array->guard; ++side) {
    bp_cu_result result = device->calls->download(device->context, zone,
                                                  side ? end_of(array) : array->zone, sizeof zone);
    if (result)
      return failed(result, "reading the guards of", array->name);
    for (int64_t n = 0; n < 2 * GUARD; ++n)
      if (zone[n] != guard_half) {
        fill_guards(device, array); /* the next variant is not to blame */
        return bp_fail(BP_WRONG, "wrote outside %s, at index %lld of %lld", array->name,
                       (long long)(side ? array->count + n / 2 : n / 2 - GUARD),
                       (long long)array->count);
      }
  }
  return BP_OK;
}
