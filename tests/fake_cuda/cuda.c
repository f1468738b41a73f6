/* cuda.c -- a CUDA driver that pretends: two devices whose memory is the host's and whose kernels are those
 * of kernels.c. What goes wrong goes wrong as on a device: a kernel that goes astray makes every later
 * call of the process fail. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 0, INVALID = 1, NO_CONTEXT = 201, NOT_FOUND = 500 };
enum { DEVICES = 2, BLOCKS_MAX = 4096, CAPTURED_MAX = 100000 };

static struct {
  void *at;
  size_t bytes;
} blocks[BLOCKS_MAX];
static size_t used;

static size_t memory_bytes(void)
{
  const char *variable = getenv("FAKE_CUDA_MEMORY");
  return variable ? strtoul(variable, NULL, 10) : (size_t)256 << 20;
}

#define ENTER                                                                                      \
  if (fake_broken)                                                                                 \
  return fake_broken

/* ---- devices ---- */

bp_cu_result cuInit(unsigned), cuDriverGetVersion(int *), cuDeviceGetCount(int *),
    cuGetErrorName(bp_cu_result, const char **), cuGetErrorString(bp_cu_result, const char **),
    cuDeviceGet(bp_cu_device *, int), cuDeviceGetName(char *, int, bp_cu_device),
    cuDeviceTotalMem_v2(size_t *, bp_cu_device), cuDeviceGetAttribute(int *, int, bp_cu_device),
    cuDeviceGetPCIBusId(char *, int, bp_cu_device),
    cuCtxCreate_v2(bp_cu_context *, unsigned, bp_cu_device), cuCtxDestroy_v2(bp_cu_context),
    cuCtxSetCurrent(bp_cu_context), cuMemGetInfo_v2(size_t *, size_t *),
    cuMemAlloc_v2(bp_cu_pointer *, size_t), cuMemFree_v2(bp_cu_pointer),
    cuMemcpyHtoDAsync_v2(bp_cu_pointer, const void *, size_t, bp_cu_stream),
    cuMemcpyDtoHAsync_v2(void *, bp_cu_pointer, size_t, bp_cu_stream),
    cuMemcpyDtoDAsync_v2(bp_cu_pointer, bp_cu_pointer, size_t, bp_cu_stream),
    cuMemsetD32Async(bp_cu_pointer, unsigned, size_t, bp_cu_stream),
    cuStreamCreate(bp_cu_stream *, unsigned), cuStreamSynchronize(bp_cu_stream),
    cuEventCreate(bp_cu_event *, unsigned), cuEventRecord(bp_cu_event, bp_cu_stream),
    cuEventElapsedTime(float *, bp_cu_event, bp_cu_event),
    cuModuleLoadData(bp_cu_module *, const void *), cuModuleUnload(bp_cu_module),
    cuModuleGetFunction(bp_cu_function *, bp_cu_module, const char *),
    cuFuncGetAttribute(int *, int, bp_cu_function), cuFuncSetAttribute(bp_cu_function, int, int),
    cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, bp_cu_function, int, size_t),
    cuLaunchKernel(bp_cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, bp_cu_stream, void **, void **),
    cuStreamBeginCapture_v2(bp_cu_stream, int), cuStreamEndCapture(bp_cu_stream, bp_cu_graph *),
    cuGraphInstantiateWithFlags(bp_cu_graph_exec *, bp_cu_graph, unsigned long long),
    cuGraphUpload(bp_cu_graph_exec, bp_cu_stream), cuGraphLaunch(bp_cu_graph_exec, bp_cu_stream),
    cuGraphExecDestroy(bp_cu_graph_exec), cuGraphDestroy(bp_cu_graph);

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

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bp_cu_result cuCtxCreate_v2(bp_cu_context *context, unsigned flags, bp_cu_device device)
{
  ENTER;
  (void)flags;
  *context = (bp_cu_context)&something;
  events_count = 0;
  return device < DEVICES ? OK : INVALID;
}

bp_cu_result cuCtxDestroy_v2(bp_cu_context context)
{
  return context ? OK : INVALID;
}

bp_cu_result cuCtxSetCurrent(bp_cu_context context)
{
  return context ? OK : NO_CONTEXT;
}

bp_cu_result cuStreamCreate(bp_cu_stream *stream, unsigned flags)
{
  ENTER;
  (void)flags;
  *stream = (bp_cu_stream)&something;
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
  event->at = now();
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

bp_cu_result cuMemAlloc_v2(bp_cu_pointer *pointer, size_t bytes)
{
  if (fake_is_to_break)
    fake_broken = FAKE_ILLEGAL_ADDRESS;
  ENTER;
  if (bytes > memory_bytes() - used)
    return BP_CU_OUT_OF_MEMORY;
  for (size_t n = 0; n < BLOCKS_MAX; ++n)
    if (!blocks[n].at) {
      blocks[n].at = aligned_alloc(256, (bytes + 255) / 256 * 256);
      blocks[n].bytes = bytes;
      used += bytes;
      *pointer = (bp_cu_pointer)(uintptr_t)blocks[n].at;
      return OK;
    }
  return BP_CU_OUT_OF_MEMORY;
}

bp_cu_result cuMemFree_v2(bp_cu_pointer pointer)
{
  ENTER;
  for (size_t n = 0; n < BLOCKS_MAX; ++n)
    if (blocks[n].at && (bp_cu_pointer)(uintptr_t)blocks[n].at == pointer) {
      free(blocks[n].at);
      used -= blocks[n].bytes;
      blocks[n].at = NULL;
      return OK;
    }
  return INVALID;
}

/* Whether bytes from `pointer` on all lie in one block. */
static bool is_there(bp_cu_pointer pointer, size_t bytes)
{
  for (size_t n = 0; n < BLOCKS_MAX; ++n) {
    bp_cu_pointer at = (bp_cu_pointer)(uintptr_t)blocks[n].at;
    if (at && pointer >= at && pointer + bytes <= at + blocks[n].bytes)
      return true;
  }
  return false;
}

bp_cu_result cuMemcpyHtoDAsync_v2(bp_cu_pointer to, const void *from, size_t bytes,
                                  bp_cu_stream stream)
{
  ENTER;
  (void)stream;
  if (!is_there(to, bytes))
    return INVALID;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return OK;
}

bp_cu_result cuMemcpyDtoHAsync_v2(void *to, bp_cu_pointer from, size_t bytes, bp_cu_stream stream)
{
  ENTER;
  (void)stream;
  if (!is_there(from, bytes))
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

/* ---- functions ---- */

bp_cu_result cuModuleLoadData(bp_cu_module *module, const void *image)
{
  ENTER;
  *module = (bp_cu_module)&something;
  return memcmp(image, "\177ELF", 4) == 0 ? OK : INVALID;
}

bp_cu_result cuModuleUnload(bp_cu_module module)
{
  ENTER;
  return module ? OK : INVALID;
}

bp_cu_result cuModuleGetFunction(bp_cu_function *function, bp_cu_module module, const char *name)
{
  ENTER;
  (void)module;
  const fake_kernel *k = fake_kernel_find(name);
  *function = (bp_cu_function)(uintptr_t)k;
  return k ? OK : NOT_FOUND;
}

bp_cu_result cuFuncGetAttribute(int *value, int attribute, bp_cu_function function)
{
  ENTER;
  (void)function;
  *value = attribute == BP_CU_FUNCTION_MAX_THREADS ? 1024
           : attribute == BP_CU_FUNCTION_REGISTERS ? 16
                                                   : 0;
  return OK;
}

bp_cu_result cuFuncSetAttribute(bp_cu_function function, int attribute, int value)
{
  ENTER;
  (void)function;
  (void)attribute;
  return value <= 232448 ? OK : INVALID;
}

bp_cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks_per_sm,
                                                         bp_cu_function function, int threads,
                                                         size_t shared)
{
  ENTER;
  (void)function;
  int by_threads = 2048 / threads,
      by_shared = shared ? (int)(233472 / (shared + 1024)) : by_threads;
  *blocks_per_sm = by_shared < by_threads ? by_shared : by_threads;
  return OK;
}

/* ---- launches and graphs ---- */

static struct {
  const fake_kernel *kernel;
  fake_call arguments;
} captured[CAPTURED_MAX];
static int captured_count;
static bool is_capturing;

static void *pointer_in(void **arguments, int n)
{
  bp_cu_pointer pointer;
  memcpy(&pointer, arguments[n], sizeof pointer);
  return (void *)(uintptr_t)pointer;
}

bp_cu_result cuLaunchKernel(bp_cu_function function, unsigned gx, unsigned gy, unsigned gz,
                            unsigned tx, unsigned ty, unsigned tz, unsigned shared,
                            bp_cu_stream stream, void **arguments, void **extra)
{
  ENTER;
  const fake_kernel *k = (const fake_kernel *)(uintptr_t)function;
  fake_call c = {.grid = gx * gy * gz, .threads = tx * ty * tz};
  (void)shared;
  (void)stream;
  (void)extra;
  memcpy(&c.elements, arguments[0], sizeof c.elements);
  memcpy(&c.degree, arguments[1], sizeof c.degree);
  memcpy(&c.lambda, arguments[2], sizeof c.lambda);
  c.I = pointer_in(arguments, 3);
  c.D = pointer_in(arguments, 4);
  c.factors = pointer_in(arguments, 5);
  c.u = pointer_in(arguments, 6);
  c.v = pointer_in(arguments, 7);
  c.scratch = pointer_in(arguments, 8);
  if (!is_capturing) {
    k->run(&c);
  } else if (captured_count < CAPTURED_MAX) {
    captured[captured_count].kernel = k;
    captured[captured_count++].arguments = c;
  }
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
  return OK;
}

/* One graph after another: the latest is `captured`. */
bp_cu_result cuStreamBeginCapture_v2(bp_cu_stream stream, int mode)
{
  ENTER;
  (void)mode;
  is_capturing = true;
  captured_count = 0;
  return stream ? OK : INVALID;
}

bp_cu_result cuStreamEndCapture(bp_cu_stream stream, bp_cu_graph *graph)
{
  ENTER;
  is_capturing = false;
  *graph = (bp_cu_graph)&something;
  return stream ? OK : INVALID;
}

bp_cu_result cuGraphInstantiateWithFlags(bp_cu_graph_exec *exec, bp_cu_graph graph,
                                         unsigned long long flags)
{
  ENTER;
  (void)flags;
  *exec = (bp_cu_graph_exec)&something;
  return graph ? OK : INVALID;
}

bp_cu_result cuGraphUpload(bp_cu_graph_exec exec, bp_cu_stream stream)
{
  ENTER;
  (void)stream;
  return exec ? OK : INVALID;
}

bp_cu_result cuGraphLaunch(bp_cu_graph_exec exec, bp_cu_stream stream)
{
  ENTER;
  (void)exec;
  (void)stream;
  for (int n = 0; n < captured_count; ++n)
    captured[n].kernel->run(&captured[n].arguments);
  return OK;
}

bp_cu_result cuGraphExecDestroy(bp_cu_graph_exec exec)
{
  ENTER;
  return exec ? OK : INVALID;
}

bp_cu_result cuGraphDestroy(bp_cu_graph graph)
{
  ENTER;
  return graph ? OK : INVALID;
}
