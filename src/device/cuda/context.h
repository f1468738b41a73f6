/* context.h -- the few things that the backend asks of a GPU, done in a process of their own.
 *
 * A kernel that goes astray makes every CUDA call of its process fail from then on, and one that never
 * ends cannot be stopped, so contexts live in worker processes: worker.c runs there what remote.c is
 * asked for here. When one is lost it is destroyed and another one made, and the other
 * variants go on. With BP_CUDA_IN_PROCESS=1 in the environment (for debuggers) all is done in this
 * process and a kernel that goes astray ends the run.
 *
 * Results are the driver's, 0 for success, or one of those below; bp_cuda_error prints either. */
#ifndef BP_DEVICE_CUDA_CONTEXT_H
#define BP_DEVICE_CUDA_CONTEXT_H

#include "device/cuda/driver.h"
#include "device/device.h"

typedef struct bp_cuda_context bp_cuda_context;

typedef struct {
  char bytes[128];
} bp_nccl_id;

typedef struct {
  bp_function function;
  int64_t registers, local_bytes, shared_bytes, threads_max;
} bp_cuda_function_info;

typedef struct {
  bp_cu_result (*create)(int device, bp_cuda_context **context);
  /* Also of a context that is lost; frees all that it held on the device. */
  void (*destroy)(bp_cuda_context *context);
  bp_cu_result (*memory)(bp_cuda_context *context, size_t *free_bytes);
  bp_cu_result (*alloc)(bp_cuda_context *context, size_t bytes, bp_cu_pointer *pointer);
  bp_cu_result (*release)(bp_cuda_context *context, bp_cu_pointer pointer);
  bp_cu_result (*upload)(bp_cuda_context *context, bp_cu_pointer to, const void *from,
                         size_t bytes);
  bp_cu_result (*download)(bp_cuda_context *context, void *to, bp_cu_pointer from, size_t bytes);
  bp_cu_result (*fill)(bp_cuda_context *context, bp_cu_pointer to, uint32_t word, size_t words);
  bp_cu_result (*load)(bp_cuda_context *context, const char *image, size_t size, bp_module *module);
  bp_cu_result (*unload)(bp_cuda_context *context, bp_module module);
  bp_cu_result (*find)(bp_cuda_context *context, bp_module module, const char *kernel,
                       bp_cuda_function_info *info);
  /* Allows `shared` bytes of dynamic shared memory; tells how many blocks fit a multiprocessor. */
  bp_cu_result (*shape)(bp_cuda_context *context, bp_function function, int threads, size_t shared,
                        int *blocks_per_sm);
  /* Memory of zeros that other processes may open, one at a time; and theirs, of so many handles but for
   * number `own`. They are closed together: first what was opened, then, once all have done so, the own. */
  bp_cu_result (*share)(bp_cuda_context *context, size_t bytes, bp_cu_pointer *pointer,
                        bp_cu_handle *handle);
  bp_cu_result (*join)(bp_cuda_context *context, const bp_cu_handle *handles, int count, int own,
                       bp_cu_pointer *pointers);
  bp_cu_result (*leave)(bp_cuda_context *context);
  bp_cu_result (*unshare)(bp_cuda_context *context);
  /* NCCL is opened, if it was not; *id: where one `makes_id`, what all ranks join by, each at once, when all
   * have opened it. From then on steps of exchanges and sums are run. */
  bp_cu_result (*open_nccl)(bp_cuda_context *context, bool makes_id, bp_nccl_id *id);
  bp_cu_result (*join_nccl)(bp_cuda_context *context, const bp_nccl_id *id, int rank, int size);
  bp_cu_result (*leave_nccl)(bp_cuda_context *context);
  /* Runs and waits. *seconds of one repetition by events, unless NULL. `graph`: the steps are captured
   * once, and replayed. */
  bp_cu_result (*run)(bp_cuda_context *context, const bp_run *run, bool graph, double *seconds);
} bp_cuda_calls;

/* Locks memory of this process that copies come from and go to, where the driver does that: the device
 * then copies by itself. */
bp_cu_result bp_cuda_pin(bp_cuda_context *context, void *memory, size_t bytes);

/* Of bp_cuda_direct: puts steps into that stream (NULL: the default one) and returns. Allocates nothing. The
 * context that the thread had stays current. */
bp_cu_result bp_cuda_issue(bp_cuda_context *context, const bp_step *steps, int count,
                           bp_cu_stream stream);

/* In this process; in a worker. */
extern const bp_cuda_calls bp_cuda_direct, bp_cuda_remote;

/* The one to use. */
const bp_cuda_calls *bp_cuda_calls_chosen(void);

/* No call may take longer than this, or than BP_CUDA_PATIENCE in the environment says, or the worker is
 * stopped. */
enum { BP_CUDA_PATIENCE_SECONDS = 120 };

/* Results beside the driver's. */
enum {
  BP_CUDA_WORKER_GONE = 100001,
  BP_CUDA_WORKER_SLOW,
  BP_CUDA_WORKER_NONE,
  BP_CUDA_NO_NCCL,
  BP_CUDA_NCCL_FAILED = 200000 /* and NCCL's result */
};

#endif
