/* driver.c -- libcuda by dlopen. */
#include "device/cuda/context.h"

#include "device/jit/shared_library.h"
#include <stdio.h>
#include <stdlib.h>

bp_cuda_functions bp_cu;

static bool is_open;
static int version;

static const char *resolve(void *library)
{
#define SYMBOL(name)                                                                               \
  {                                                                                                \
    "cu" #name, &bp_cu.name                                                                        \
  }
#define SYMBOL_OF(name, symbol)                                                                    \
  {                                                                                                \
    symbol, &bp_cu.name                                                                            \
  }
  const bp_symbol symbols[] = {
      SYMBOL(Init),
      SYMBOL(DriverGetVersion),
      SYMBOL(GetErrorName),
      SYMBOL(GetErrorString),
      SYMBOL(DeviceGetCount),
      SYMBOL(DeviceGet),
      SYMBOL(DeviceGetName),
      SYMBOL_OF(DeviceTotalMem, "cuDeviceTotalMem_v2"),
      SYMBOL(DeviceGetAttribute),
      SYMBOL(DeviceGetPCIBusId),
      SYMBOL(DevicePrimaryCtxRetain),
      SYMBOL_OF(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2"),
      SYMBOL(CtxSetCurrent),
      SYMBOL(CtxGetCurrent),
      SYMBOL_OF(MemGetInfo, "cuMemGetInfo_v2"),
      SYMBOL_OF(MemAlloc, "cuMemAlloc_v2"),
      SYMBOL_OF(MemFree, "cuMemFree_v2"),
      SYMBOL_OF(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2"),
      SYMBOL_OF(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2"),
      SYMBOL_OF(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2"),
      SYMBOL(MemsetD32Async),
      SYMBOL(StreamCreate),
      SYMBOL_OF(StreamDestroy, "cuStreamDestroy_v2"),
      SYMBOL(StreamSynchronize),
      SYMBOL(EventCreate),
      SYMBOL_OF(EventDestroy, "cuEventDestroy_v2"),
      SYMBOL(EventRecord),
      SYMBOL(EventElapsedTime),
      SYMBOL(ModuleLoadData),
      SYMBOL(ModuleUnload),
      SYMBOL(ModuleGetFunction),
      SYMBOL(FuncGetAttribute),
      SYMBOL(FuncSetAttribute),
      SYMBOL(OccupancyMaxActiveBlocksPerMultiprocessor),
      SYMBOL(LaunchKernel),
      SYMBOL_OF(StreamBeginCapture, "cuStreamBeginCapture_v2"),
      SYMBOL(StreamEndCapture),
      SYMBOL_OF(GraphInstantiate, "cuGraphInstantiateWithFlags"),
      SYMBOL(GraphUpload),
      SYMBOL(GraphLaunch),
      SYMBOL(GraphExecDestroy),
      SYMBOL(GraphDestroy),
  };
  const bp_symbol for_ranks[] = {
      SYMBOL(IpcGetMemHandle),
      SYMBOL_OF(IpcOpenMemHandle, "cuIpcOpenMemHandle_v2"),
      SYMBOL(IpcCloseMemHandle),
      SYMBOL_OF(StreamWaitValue32, "cuStreamWaitValue32_v2"),
  };
  const bp_symbol pin = SYMBOL_OF(MemHostRegister, "cuMemHostRegister_v2");
#undef SYMBOL
#undef SYMBOL_OF
  if (bp_library_resolve(library, &pin, 1))
    bp_cu.MemHostRegister = NULL;
  if (bp_library_resolve(library, for_ranks, sizeof for_ranks / sizeof *for_ranks))
    bp_cu.IpcGetMemHandle = NULL;
  return bp_library_resolve(library, symbols, sizeof symbols / sizeof *symbols);
}

bp_status bp_cuda_open(void)
{
  static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
  static const char *const folders[] = {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"};
  char text[200];
  int count = 0;
  if (is_open)
    return BP_OK;
  const char *given = getenv("BP_CUDA_DRIVER");
  void *library = given ? bp_library_open(given) : bp_library_find(names, 2, folders, 2);
  if (!library && given)
    return bp_fail(BP_ENVIRONMENT, "cuda: BP_CUDA_DRIVER: cannot open '%s' as a library", given);
  if (!library)
    return bp_fail(BP_ENVIRONMENT,
                   "cuda: no NVIDIA driver on this machine (libcuda.so.1 was not found); "
                   "--backend cpu runs without one");
  const char *missing = resolve(library);
  if (missing)
    return bp_fail(BP_ENVIRONMENT,
                   "cuda: the NVIDIA driver lacks %s; it must be of CUDA 12 or newer", missing);
  bp_cu_result result = bp_cu.Init(0);
  if (!result)
    result = bp_cu.DeviceGetCount(&count);
  if (result)
    return bp_fail(BP_ENVIRONMENT, "cuda: the NVIDIA driver does not start: %s",
                   bp_cuda_error(result, text));
  if (count == 0)
    return bp_fail(BP_ENVIRONMENT,
                   "cuda: the NVIDIA driver finds no GPU; --backend cpu runs without one");
  bp_cu.DriverGetVersion(&version);
  is_open = true;
  return BP_OK;
}

int bp_cuda_driver_version(void)
{
  return version;
}

const char *bp_cuda_error(bp_cu_result result, char out[200])
{
  static const char *const ours[] = {
      "the process that had the device ended",
      "it did not end in time and was stopped, see BP_CUDA_PATIENCE",
      "no process could be started for the device",
      "libnccl.so.2 was not found, or lacks something; BP_NCCL names another one",
  };
  static const char *const of_nccl[] = {"unhandled CUDA error", "system error",  "internal error",
                                        "invalid argument",     "invalid usage", "a rank failed"};
  const int nccl = result - BP_CUDA_NCCL_FAILED;
  const char *name = NULL, *text = NULL;
  if (nccl > 0) {
    snprintf(out, 200, "NCCL: %s", nccl <= 6 ? of_nccl[nccl - 1] : "unknown error");
    return out;
  }
  if (result >= BP_CUDA_WORKER_GONE && result <= BP_CUDA_NO_NCCL) {
    snprintf(out, 200, "%s", ours[result - BP_CUDA_WORKER_GONE]);
    return out;
  }
  bp_cu.GetErrorName(result, &name);
  bp_cu.GetErrorString(result, &text);
  snprintf(out, 200, "%s (%s)", name ? name : "unknown error", text ? text : "no description");
  return out;
}
