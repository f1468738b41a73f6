/* cuda_device.c -- listing, opening and, after a kernel went astray, reopening CUDA devices. */
#include "device/cuda/cuda_device.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/jit/jit.h"
#include <math.h>
#include <stdio.h>

static bp_status failed_call(bp_cu_result result, const char *what)
{
  char text[200];
  return bp_fail(BP_ENVIRONMENT, "cuda: %s: %s", what, bp_cuda_error(result, text));
}

/* ---- what there is ---- */

static int64_t attribute_of(bp_cu_device handle, int attribute)
{
  int value = 0;
  bp_cu.DeviceGetAttribute(&value, attribute, handle);
  return value;
}

static bp_status read_info(int number, bp_cuda_info *info)
{
  bp_cu_device handle;
  size_t memory = 0;
  *info = (bp_cuda_info){.number = number};
  bp_cu_result result = bp_cu.DeviceGet(&handle, number);
  if (!result)
    result = bp_cu.DeviceGetName(info->name, sizeof info->name, handle);
  if (!result)
    result = bp_cu.DeviceGetPCIBusId(info->pci, sizeof info->pci, handle);
  if (!result)
    result = bp_cu.DeviceTotalMem(&memory, handle);
  if (result)
    return failed_call(result, "asking a device for its name");
  info->sm =
      (int)(10 * attribute_of(handle, BP_CU_SM_MAJOR) + attribute_of(handle, BP_CU_SM_MINOR));
  info->multiprocessors = (int)attribute_of(handle, BP_CU_MULTIPROCESSORS);
  info->memory_bytes = (int64_t)memory;
  info->l2_bytes = attribute_of(handle, BP_CU_L2_BYTES);
  info->shared_per_multiprocessor = attribute_of(handle, BP_CU_MAX_SHARED_PER_MULTIPROCESSOR);
  info->shared_per_block = attribute_of(handle, BP_CU_MAX_SHARED_PER_BLOCK_OPTIN);
  info->sm_mhz = 1e-3 * (double)attribute_of(handle, BP_CU_CLOCK_KHZ);
  info->memory_mhz = 1e-3 * (double)attribute_of(handle, BP_CU_MEMORY_CLOCK_KHZ);
  double peak = 2e6 * info->memory_mhz * (double)attribute_of(handle, BP_CU_MEMORY_BUS_BITS) / 8;
  info->peak_bytes_per_second = peak > 0 ? peak : NAN;
  return BP_OK;
}

bp_status bp_cuda_list(bp_cuda_info **infos, int *count)
{
  *infos = NULL;
  *count = 0;
  bp_status status = bp_cuda_open();
  if (status)
    return status;
  bp_cu.DeviceGetCount(count);
  *infos = bp_alloc((size_t)*count, sizeof **infos);
  for (int n = 0; n < *count && !status; ++n)
    status = read_info(n, &(*infos)[n]);
  if (status) {
    bp_free(*infos);
    *infos = NULL;
    *count = 0;
  }
  return status;
}

const bp_cuda_info *bp_cuda_device_info(const bp_device *device)
{
  return &((const bp_cuda_device *)device)->info;
}

char *bp_cuda_versions(void)
{
  int version = bp_cuda_driver_version();
  return bp_format("CUDA %d.%d, NVRTC %s", version / 1000, version % 1000 / 10, bp_jit_version());
}

/* ---- contexts ---- */

static bp_status create_context(bp_cuda_device *d)
{
  bp_cu_result result = d->calls->create(d->info.number, &d->context);
  return result ? failed_call(result, "making a context on the device") : BP_OK;
}

bp_status bp_cuda_enter(bp_cuda_device *device)
{
  return device->context ? BP_OK : bp_fail(BP_ENVIRONMENT, "cuda: the device is lost");
}

/* A context that lost its way answers every call with an error. */
static bool is_lost(const bp_cuda_device *d)
{
  size_t free_bytes;
  return d->calls->memory(d->context, &free_bytes) != 0;
}

/* The message of what led here stays. */
static void renew(bp_cuda_device *d)
{
  char *message = bp_strdup(bp_message());
  d->calls->destroy(d->context);
  d->context = NULL;
  ++d->generation;
  (void)create_context(d);
  bp_fail(BP_OK, "%s", message);
  bp_free(message);
}

bool bp_cuda_revive(bp_cuda_device *device)
{
  if (!device->context || !is_lost(device))
    return false;
  renew(device);
  return true;
}

bp_status bp_cuda_outcome(bp_cuda_device *device, bp_cu_result result, const char *what)
{
  char text[200];
  if (!result)
    return BP_OK;
  bp_cuda_error(result, text);
  if (result != BP_CUDA_WORKER_SLOW &&
      !is_lost(device)) /* a slow one would not answer now either */
    return bp_fail(BP_WRONG, "%s failed: %s", what, text);
  renew(device);
  if (!device->context)
    return bp_fail(BP_ENVIRONMENT, "cuda: %s failed: %s; the device is lost for this run", what,
                   text);
  return bp_fail(BP_WRONG, "%s failed: %s; the device was started anew", what, text);
}

/* ---- devices ---- */

static bp_status open_libraries(int number)
{
  int count = 0;
  bp_status status = bp_cuda_open();
  if (!status)
    bp_cu.DeviceGetCount(&count);
  if (!status && (number < 0 || number >= count))
    return bp_fail(BP_ENVIRONMENT, "cuda: expected a device 0..%d, found %d", count - 1, number);
  return status ? status : bp_jit_open(bp_cuda_driver_version() / 1000);
}

static void read_limits(bp_cuda_device *d)
{
  bp_cu_device handle = 0;
  bp_cu.DeviceGet(&handle, d->info.number);
  d->threads_max = attribute_of(handle, BP_CU_MAX_THREADS_PER_BLOCK);
  for (int n = 0; n < 3; ++n)
    d->block_max[n] = attribute_of(handle, BP_CU_MAX_BLOCK_X + n);
}

bp_status bp_cuda_device_create(const bp_device_options *options, bp_device **device)
{
  bp_status status = open_libraries(options->device);
  if (status)
    return status;
  bp_cuda_device *d = bp_alloc(1, sizeof *d);
  size_t free_bytes = 0;
  d->calls = bp_cuda_calls_chosen();
  d->graph = options->graph;
  status = read_info(options->device, &d->info);
  if (!status)
    status = create_context(d);
  if (status) {
    bp_cuda_device_destroy(&d->base);
    return status;
  }
  d->calls->memory(d->context, &free_bytes);
  read_limits(d);
  d->base = (bp_device){
      .backend = &bp_backend_cuda,
      .name = bp_strdup(d->info.name),
      .lanes = 1,
      .sms = d->info.multiprocessors,
      .cache_bytes = d->info.l2_bytes,
      .memory_free = (int64_t)free_bytes,
      .peak_bytes_per_second = d->info.peak_bytes_per_second,
  };
  *device = &d->base;
  return BP_OK;
}

void bp_cuda_device_destroy(bp_device *device)
{
  bp_cuda_device *d = (bp_cuda_device *)device;
  bp_plan_destroy(d->flush);
  if (d->context)
    d->calls->destroy(d->context);
  bp_free(d->base.name);
  bp_free(d);
}
