/* driver.h -- NVIDIA's driver interface, opened at run time: the few types, constants and
 * functions that bp uses, so that building needs no CUDA Toolkit. */
#ifndef BP_DEVICE_CUDA_DRIVER_H
#define BP_DEVICE_CUDA_DRIVER_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef int bp_cu_result;
typedef int bp_cu_device;
typedef uint64_t bp_cu_pointer;
typedef struct bp_cu_context_s *bp_cu_context;
typedef struct bp_cu_module_s *bp_cu_module;
typedef struct bp_cu_function_s *bp_cu_function;
typedef struct bp_cu_stream_s *bp_cu_stream;
typedef struct bp_cu_event_s *bp_cu_event;
typedef struct bp_cu_graph_s *bp_cu_graph;
typedef struct bp_cu_graph_exec_s *bp_cu_graph_exec;

/* Of memory, for another process. */
typedef struct {
  char bytes[64];
} bp_cu_handle;

/* The values are the driver's. */
enum { BP_CU_OUT_OF_MEMORY = 2, BP_CU_NOT_SUPPORTED = 801, BP_CU_UNKNOWN = 999 };

enum {
  BP_CU_MAX_THREADS_PER_BLOCK = 1,
  BP_CU_MAX_BLOCK_X = 2,
  BP_CU_MAX_BLOCK_Y = 3,
  BP_CU_MAX_BLOCK_Z = 4,
  BP_CU_CLOCK_KHZ = 13,
  BP_CU_MULTIPROCESSORS = 16,
  BP_CU_MEMORY_CLOCK_KHZ = 36,
  BP_CU_MEMORY_BUS_BITS = 37,
  BP_CU_L2_BYTES = 38,
  BP_CU_SM_MAJOR = 75,
  BP_CU_SM_MINOR = 76,
  BP_CU_MAX_SHARED_PER_MULTIPROCESSOR = 81,
  BP_CU_MAX_SHARED_PER_BLOCK_OPTIN = 97
};

enum {
  BP_CU_FUNCTION_MAX_THREADS = 0,
  BP_CU_FUNCTION_SHARED_BYTES = 1,
  BP_CU_FUNCTION_LOCAL_BYTES = 3,
  BP_CU_FUNCTION_REGISTERS = 4,
  BP_CU_FUNCTION_MAX_DYNAMIC_SHARED = 8
};

enum {
  BP_CU_CAPTURE_THREAD_LOCAL = 1,
  BP_CU_STREAM_NON_BLOCKING = 1,
  BP_CU_IPC_LAZY_PEER_ACCESS = 1,
  BP_CU_WAIT_AT_LEAST = 0
};

typedef struct {
  bp_cu_result (*Init)(unsigned);
  bp_cu_result (*DriverGetVersion)(int *);
  bp_cu_result (*GetErrorName)(bp_cu_result, const char **);
  bp_cu_result (*GetErrorString)(bp_cu_result, const char **);
  bp_cu_result (*DeviceGetCount)(int *);
  bp_cu_result (*DeviceGet)(bp_cu_device *, int);
  bp_cu_result (*DeviceGetName)(char *, int, bp_cu_device);
  bp_cu_result (*DeviceTotalMem)(size_t *, bp_cu_device);
  bp_cu_result (*DeviceGetAttribute)(int *, int, bp_cu_device);
  bp_cu_result (*DeviceGetPCIBusId)(char *, int, bp_cu_device);
  bp_cu_result (*DevicePrimaryCtxRetain)(bp_cu_context *, bp_cu_device);
  bp_cu_result (*DevicePrimaryCtxRelease)(bp_cu_device);
  bp_cu_result (*CtxSetCurrent)(bp_cu_context);
  bp_cu_result (*CtxGetCurrent)(bp_cu_context *);
  bp_cu_result (*MemGetInfo)(size_t *, size_t *);
  bp_cu_result (*MemAlloc)(bp_cu_pointer *, size_t);
  bp_cu_result (*MemFree)(bp_cu_pointer);
  bp_cu_result (*MemcpyHtoDAsync)(bp_cu_pointer, const void *, size_t, bp_cu_stream);
  bp_cu_result (*MemcpyDtoHAsync)(void *, bp_cu_pointer, size_t, bp_cu_stream);
  bp_cu_result (*MemcpyDtoDAsync)(bp_cu_pointer, bp_cu_pointer, size_t, bp_cu_stream);
  bp_cu_result (*MemsetD32Async)(bp_cu_pointer, unsigned, size_t, bp_cu_stream);
  bp_cu_result (*StreamCreate)(bp_cu_stream *, unsigned);
  bp_cu_result (*StreamDestroy)(bp_cu_stream);
  bp_cu_result (*StreamSynchronize)(bp_cu_stream);
  bp_cu_result (*EventCreate)(bp_cu_event *, unsigned);
  bp_cu_result (*EventDestroy)(bp_cu_event);
  bp_cu_result (*EventRecord)(bp_cu_event, bp_cu_stream);
  bp_cu_result (*EventElapsedTime)(float *, bp_cu_event, bp_cu_event);
  bp_cu_result (*ModuleLoadData)(bp_cu_module *, const void *);
  bp_cu_result (*ModuleUnload)(bp_cu_module);
  bp_cu_result (*ModuleGetFunction)(bp_cu_function *, bp_cu_module, const char *);
  bp_cu_result (*FuncGetAttribute)(int *, int, bp_cu_function);
  bp_cu_result (*FuncSetAttribute)(bp_cu_function, int, int);
  bp_cu_result (*OccupancyMaxActiveBlocksPerMultiprocessor)(int *, bp_cu_function, int, size_t);
  bp_cu_result (*LaunchKernel)(bp_cu_function, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, unsigned, bp_cu_stream, void **, void **);
  bp_cu_result (*StreamBeginCapture)(bp_cu_stream, int);
  bp_cu_result (*StreamEndCapture)(bp_cu_stream, bp_cu_graph *);
  bp_cu_result (*GraphInstantiate)(bp_cu_graph_exec *, bp_cu_graph, unsigned long long);
  bp_cu_result (*GraphUpload)(bp_cu_graph_exec, bp_cu_stream);
  bp_cu_result (*GraphLaunch)(bp_cu_graph_exec, bp_cu_stream);
  bp_cu_result (*GraphExecDestroy)(bp_cu_graph_exec);
  bp_cu_result (*GraphDestroy)(bp_cu_graph);
  /* NULL where it is missing */
  bp_cu_result (*MemHostRegister)(void *, size_t, unsigned);
  /* what only ranks need: the first is NULL where one is missing */
  bp_cu_result (*IpcGetMemHandle)(bp_cu_handle *, bp_cu_pointer);
  bp_cu_result (*IpcOpenMemHandle)(bp_cu_pointer *, bp_cu_handle, unsigned);
  bp_cu_result (*IpcCloseMemHandle)(bp_cu_pointer);
  bp_cu_result (*StreamWaitValue32)(bp_cu_stream, bp_cu_pointer, uint32_t, unsigned);
} bp_cuda_functions;

/* Filled in by bp_cuda_open. */
extern bp_cuda_functions bp_cu;

/* Opens the driver, libcuda.so.1 or what BP_CUDA_DRIVER in the environment names, and starts it; further
 * calls change nothing. BP_ENVIRONMENT, with a line that
 * helps, where there is none or it finds no device. */
bp_status bp_cuda_open(void);

/* 13000 for 13.0, of the driver; only after bp_cuda_open. */
int bp_cuda_driver_version(void);

/* "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)". `out` holds 200 bytes.
 */
const char *bp_cuda_error(bp_cu_result result, char out[200]);

#endif
