/* cuda.c -- a CUDA driver that pretends: two devices whose memory is the host's. The other half is
 * launches.c, whose kernels are those of kernels.c. What goes wrong goes wrong as on a device: a kernel that goes
 * astray makes every later call of the process fail. */
#include "driver.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEVICES = 2, BLOCKS_MAX = 4096, PAGE = 2 << 20, NOT_SUPPORTED = 801 };

static struct {
  void *at;
  size_t bytes;
  int file; /* > 0: other processes may map it */
} blocks[BLOCKS_MAX];
static size_t used;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER; /* of the blocks */

static size_t memory_bytes(void)
{
  const char *variable = getenv("FAKE_CUDA_MEMORY");
  return variable ? strtoul(variable, NULL, 10) : (size_t)256 << 20;
}

/* ---- devices ---- */

bp_cu_result cuInit(unsigned), cuDriverGetVersion(int *), cuDeviceGetCount(int *),
    cuGetErrorName(bp_cu_result, const char **), cuGetErrorString(bp_cu_result, const char **),
    cuDeviceGet(bp_cu_device *, int), cuDeviceGetName(char *, int, bp_cu_device),
    cuDeviceTotalMem_v2(size_t *, bp_cu_device), cuDeviceGetAttribute(int *, int, bp_cu_device),
    cuDeviceGetPCIBusId(char *, int, bp_cu_device),
    cuDevicePrimaryCtxRetain(bp_cu_context *, bp_cu_device),
    cuDevicePrimaryCtxRelease_v2(bp_cu_device), cuCtxSetCurrent(bp_cu_context),
    cuCtxGetCurrent(bp_cu_context *), cuStreamDestroy_v2(bp_cu_stream),
    cuEventDestroy_v2(bp_cu_event), cuMemGetInfo_v2(size_t *, size_t *),
    cuMemAlloc_v2(bp_cu_pointer *, size_t), cuMemFree_v2(bp_cu_pointer),
    cuMemcpyHtoDAsync_v2(bp_cu_pointer, const void *, size_t, bp_cu_stream),
    cuMemcpyDtoHAsync_v2(void *, bp_cu_pointer, size_t, bp_cu_stream),
    cuMemcpyDtoDAsync_v2(bp_cu_pointer, bp_cu_pointer, size_t, bp_cu_stream),
    cuMemsetD32Async(bp_cu_pointer, unsigned, size_t, bp_cu_stream),
    cuMemHostRegister_v2(void *, size_t, unsigned), cuStreamCreate(bp_cu_stream *, unsigned),
    cuStreamSynchronize(bp_cu_stream), cuEventCreate(bp_cu_event *, unsigned),
    cuEventRecord(bp_cu_event, bp_cu_stream), cuEventElapsedTime(float *, bp_cu_event, bp_cu_event),
    cuIpcGetMemHandle(bp_cu_handle *, bp_cu_pointer),
    cuIpcOpenMemHandle_v2(bp_cu_pointer *, bp_cu_handle, unsigned),
    cuIpcCloseMemHandle(bp_cu_pointer),
    cuStreamWaitValue32_v2(bp_cu_stream, bp_cu_pointer, uint32_t, unsigned);

bp_cu_result cuInit(unsigned flags)
{
  return flags ? INVALID : OK;
}

bp_cu_result cuDriverGetVersion(int *version)
{
  *version = 13000;
  return OK;
}

bp_cu_result cuGetErrorName(bp_cu_result result, const char **name)
{
  *name = result == FAKE_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_PRETENDED";
  return OK;
}

bp_cu_result cuGetErrorString(bp_cu_result result, const char **text)
{
  *text = result == FAKE_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "pretended";
  return OK;
}

bp_cu_result cuDeviceGetCount(int *count)
{
  *count = DEVICES;
  return OK;
}

bp_cu_result cuDeviceGet(bp_cu_device *device, int number)
{
  *device = number;
  return number < DEVICES ? OK : INVALID;
}

bp_cu_result cuDeviceGetName(char *name, int length, bp_cu_device device)
{
  strncpy(name, device ? "Pretended GPU B" : "Pretended GPU A", (size_t)length);
  return OK;
}

bp_cu_result cuDeviceTotalMem_v2(size_t *bytes, bp_cu_device device)
{
  (void)device;
  *bytes = memory_bytes();
  return OK;
}

bp_cu_result cuDeviceGetAttribute(int *value, int attribute, bp_cu_device device)
{
  static const struct {
    int attribute, value;
  } values[] = {
      {BP_CU_MAX_THREADS_PER_BLOCK, 1024},
      {BP_CU_MAX_BLOCK_X, 1024},
      {BP_CU_MAX_BLOCK_Y, 1024},
      {BP_CU_MAX_BLOCK_Z, 64},
      {BP_CU_CLOCK_KHZ, 1000000},
      {BP_CU_MULTIPROCESSORS, 4},
      {BP_CU_MEMORY_CLOCK_KHZ, 1000000},
      {BP_CU_MEMORY_BUS_BITS, 1024},
      {BP_CU_L2_BYTES, 1 << 20},
      {BP_CU_SM_MAJOR, 9},
      {BP_CU_SM_MINOR, 0},
      {BP_CU_MAX_SHARED_PER_MULTIPROCESSOR, 233472},
      {BP_CU_MAX_SHARED_PER_BLOCK_OPTIN, 232448},
  };
  (void)device;
  for (size_t n = 0; n < sizeof values / sizeof *values; ++n)
    if (values[n].attribute == attribute) {
      *value = values[n].value;
      return OK;
    }
  return INVALID;
}

bp_cu_result cuDeviceGetPCIBusId(char *id, int length, bp_cu_device device)
{
  strncpy(id, device ? "0000:02:00.0" : "0000:01:00.0", (size_t)length);
  return OK;
}

/* ---- contexts, streams, events: only that they are there matters ---- */

static int something;
static struct bp_cu_event_s {
  double at;
} events[2];
static int events_count;

bp_cu_result cuDevicePrimaryCtxRetain(bp_cu_context *context, bp_cu_device device)
{
  ENTER;
  *context = (bp_cu_context)&something;
  events_count = 0;
  return device < DEVICES ? OK : INVALID;
}

bp_cu_result cuDevicePrimaryCtxRelease_v2(bp_cu_device device)
{
  return device < DEVICES ? OK : INVALID;
}

static _Thread_local bp_cu_context current;

bp_cu_result cuCtxSetCurrent(bp_cu_context context)
{
  current = context;
  return OK;
}

bp_cu_result cuCtxGetCurrent(bp_cu_context *context)
{
  *context = current;
  return OK;
}

bp_cu_result cuStreamDestroy_v2(bp_cu_stream stream)
{
  return stream ? OK : INVALID;
}

bp_cu_result cuEventDestroy_v2(bp_cu_event event)
{
  return event ? OK : INVALID;
}

bp_cu_result cuStreamCreate(bp_cu_stream *stream, unsigned flags)
{
  ENTER;
  (void)flags;
  static char streams[256];
  static unsigned next;
  *stream = (bp_cu_stream)&streams[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % sizeof streams];
  return OK;
}

bp_cu_result cuStreamSynchronize(bp_cu_stream stream)
{
  ENTER;
  return stream ? OK : INVALID;
}

bp_cu_result cuEventCreate(bp_cu_event *event, unsigned flags)
{
  ENTER;
  (void)flags;
  *event = &events[events_count++ % 2];
  return OK;
}

bp_cu_result cuEventRecord(bp_cu_event event, bp_cu_stream stream)
{
  ENTER;
  (void)stream;
  event->at = fake_clock;
  return OK;
}

bp_cu_result cuEventElapsedTime(float *milliseconds, bp_cu_event start, bp_cu_event stop)
{
  ENTER;
  *milliseconds = (float)(1e3 * (stop->at - start->at));
  return OK;
}

/* ---- memory ---- */

bp_cu_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
  ENTER;
  *total = memory_bytes();
  *free_bytes = memory_bytes() - used;
  return OK;
}

static bp_cu_result allocate(bp_cu_pointer *pointer, size_t bytes)
{
  if (fake_is_to_break)
    fake_broken = FAKE_ILLEGAL_ADDRESS;
  ENTER;
  if (bytes > memory_bytes() - used)
    return BP_CU_OUT_OF_MEMORY;
  for (size_t n = 0; n < BLOCKS_MAX; ++n)
    if (!blocks[n].at) {
      blocks[n].file = bytes % PAGE == 0 ? memfd_create("fake-cuda", MFD_CLOEXEC) : 0;
      if (blocks[n].file > 0 && ftruncate(blocks[n].file, (off_t)bytes))
        return INVALID;
      blocks[n].at = blocks[n].file > 0
                         ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, blocks[n].file, 0)
                         : aligned_alloc(256, (bytes + 255) / 256 * 256);
      blocks[n].bytes = bytes;
      used += bytes;
      *pointer = (bp_cu_pointer)(uintptr_t)blocks[n].at;
      return OK;
    }
  return BP_CU_OUT_OF_MEMORY;
}

bp_cu_result cuMemAlloc_v2(bp_cu_pointer *pointer, size_t bytes)
{
  pthread_mutex_lock(&table);
  const bp_cu_result result = allocate(pointer, bytes);
  pthread_mutex_unlock(&table);
  return result;
}

static bp_cu_result release(bp_cu_pointer pointer)
{
  ENTER;
  for (size_t n = 0; n < BLOCKS_MAX; ++n)
    if (blocks[n].at && (bp_cu_pointer)(uintptr_t)blocks[n].at == pointer) {
      if (blocks[n].file > 0) {
        munmap(blocks[n].at, blocks[n].bytes);
        close(blocks[n].file);
      } else {
        free(blocks[n].at);
      }
      used -= blocks[n].bytes;
      blocks[n].at = NULL;
      return OK;
    }
  return INVALID;
}

bp_cu_result cuMemFree_v2(bp_cu_pointer pointer)
{
  pthread_mutex_lock(&table);
  const bp_cu_result result = release(pointer);
  pthread_mutex_unlock(&table);
  return result;
}

/* Whether bytes from `pointer` on all lie in one block. */
static bool is_there(bp_cu_pointer pointer, size_t bytes)
{
  bool is = false;
  pthread_mutex_lock(&table);
  for (size_t n = 0; n < BLOCKS_MAX; ++n) {
    bp_cu_pointer at = (bp_cu_pointer)(uintptr_t)blocks[n].at;
    is = is || (at && pointer >= at && pointer + bytes <= at + blocks[n].bytes);
  }
  pthread_mutex_unlock(&table);
  return is;
}

/* The host's memory that is locked; FAKE_CUDA_PINNED: no other is copied. */
static struct {
  const char *at;
  size_t bytes;
} locked;

bp_cu_result cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags)
{
  ENTER;
  if (flags || !bytes || locked.at)
    return INVALID;
  locked.at = at;
  locked.bytes = bytes;
  return OK;
}

static bool is_allowed(const char *at, size_t bytes)
{
  return !getenv("FAKE_CUDA_PINNED") || (at >= locked.at && at + bytes <= locked.at + locked.bytes);
}

bp_cu_result cuMemcpyHtoDAsync_v2(bp_cu_pointer to, const void *from, size_t bytes,
                                  bp_cu_stream stream)
{
  ENTER;
  (void)stream;
  if (!is_there(to, bytes) || !is_allowed(from, bytes))
    return INVALID;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return OK;
}

bp_cu_result cuMemcpyDtoHAsync_v2(void *to, bp_cu_pointer from, size_t bytes, bp_cu_stream stream)
{
  ENTER;
  (void)stream;
  if (!is_there(from, bytes) || !is_allowed(to, bytes))
    return INVALID;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return OK;
}

bp_cu_result cuMemsetD32Async(bp_cu_pointer to, unsigned value, size_t words, bp_cu_stream stream)
{
  ENTER;
  (void)stream;
  if (!is_there(to, 4 * words))
    return INVALID;
  for (size_t n = 0; n < words; ++n)
    ((unsigned *)(uintptr_t)to)[n] = value;
  return OK;
}

bp_cu_result cuMemcpyDtoDAsync_v2(bp_cu_pointer to, bp_cu_pointer from, size_t bytes,
                                  bp_cu_stream stream)
{
  ENTER;
  (void)stream;
  if (!is_there(to, bytes) || !is_there(from, bytes))
    return INVALID;
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  fake_clock += 2e-6 + 2 * (double)bytes / 1e11;
  return OK;
}

/* ---- memory of other processes: whole pages alone, which are files ---- */

bp_cu_result cuIpcGetMemHandle(bp_cu_handle *handle, bp_cu_pointer pointer)
{
  ENTER;
  if (getenv("FAKE_CUDA_NO_IPC"))
    return NOT_SUPPORTED;
  for (size_t n = 0; n < BLOCKS_MAX; ++n)
    if (blocks[n].at && (bp_cu_pointer)(uintptr_t)blocks[n].at == pointer && blocks[n].file > 0) {
      snprintf(handle->bytes, sizeof handle->bytes, "/proc/%d/fd/%d %zu", (int)getpid(),
               blocks[n].file, blocks[n].bytes);
      return OK;
    }
  return INVALID;
}

bp_cu_result cuIpcOpenMemHandle_v2(bp_cu_pointer *pointer, bp_cu_handle handle, unsigned flags)
{
  char path[64];
  size_t bytes;
  ENTER;
  if (flags != BP_CU_IPC_LAZY_PEER_ACCESS || sscanf(handle.bytes, "%63s %zu", path, &bytes) != 2)
    return INVALID;
  int file = open(path, O_RDWR | O_CLOEXEC);
  size_t n = 0;
  while (n < BLOCKS_MAX && blocks[n].at)
    ++n;
  if (file < 0 || n == BLOCKS_MAX)
    return INVALID;
  blocks[n].at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  blocks[n].bytes = bytes;
  blocks[n].file = file;
  used += bytes;
  *pointer = (bp_cu_pointer)(uintptr_t)blocks[n].at;
  return OK;
}

bp_cu_result cuIpcCloseMemHandle(bp_cu_pointer pointer)
{
  return cuMemFree_v2(pointer);
}

bp_cu_result cuStreamWaitValue32_v2(bp_cu_stream stream, bp_cu_pointer pointer, uint32_t value,
                                    unsigned flags)
{
  ENTER;
  (void)stream;
  if (flags != BP_CU_WAIT_AT_LEAST || !is_there(pointer, sizeof value))
    return INVALID;
  while ((int32_t)(*(const volatile uint32_t *)(uintptr_t)pointer - value) < 0)
    sched_yield();
  return OK;
}
