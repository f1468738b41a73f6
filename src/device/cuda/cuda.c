/* cuda.c -- NVIDIA GPUs: the calls of device.h by those of context.h, and devices that are opened anew after
 * a kernel went astray: such a kernel makes its context useless. */
#include "device/cuda/cuda.h"
#include "device/cuda/context.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/cuda/mailbox.h"
#include "device/cuda/nccl.h"
#include "device/jit/jit.h"
#include "kernels/abi/ranks.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  bp_device base;
  bp_cuda_info info;
  const bp_cuda_calls *calls;
  bp_cuda_context *context; /* NULL after it was lost and no new one could be had */
  int64_t box_bytes;        /* of a mailbox */
  int arch;                 /* it is as this one; 0: as itself */
} cuda_device;

static cuda_device *of(bp_device *device)
{
  return (cuda_device *)device;
}

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
  return &((const cuda_device *)device)->info;
}

char *bp_cuda_versions(void)
{
  int version = bp_cuda_driver_version();
  return bp_format("CUDA %d.%d, NVRTC %s", version / 1000, version % 1000 / 10, bp_jit_version());
}

/* ---- contexts ---- */

static bp_status create_context(cuda_device *d)
{
  bp_cu_result result = d->calls->create(d->info.number, &d->context);
  return result ? failed_call(result, "making a context on the device") : BP_OK;
}

/* First thing in every call. */
static bp_status enter(const cuda_device *d)
{
  return d->context ? BP_OK : bp_fail(BP_ENVIRONMENT, "cuda: the device is lost");
}

/* A context that lost its way answers every call with an error. */
static bool is_lost(const cuda_device *d)
{
  size_t free_bytes;
  return d->context && d->calls->memory(d->context, &free_bytes) != 0;
}

/* The message of what led here stays. */
static void renew(cuda_device *d)
{
  char *message = bp_strdup(bp_message());
  d->calls->destroy(d->context);
  d->context = NULL;
  ++d->base.generation;
  if (!d->base.boxes &&
      !d->base.way) /* other ranks have opened its memory, or NCCL or MPI has it */
    (void)create_context(d);
  bp_fail(BP_OK, "%s", message);
  bp_free(message);
}

/* A call that failed: for what comes after there is a new context if this one was lost. */
static bp_status failed(cuda_device *d, bp_cu_result result, const char *what)
{
  bp_status status = failed_call(result, what);
  if (is_lost(d))
    renew(d);
  return status;
}

/* ---- devices ---- */

static bp_status open_libraries(int number, int *count)
{
  bp_status status = bp_cuda_open();
  if (!status)
    bp_cu.DeviceGetCount(count);
  if (!status && (number < 0 || number >= *count))
    return bp_fail(BP_ENVIRONMENT, "cuda: expected a device 0..%d, found %d", *count - 1, number);
  return status ? status : bp_jit_open(bp_cuda_driver_version() / 1000);
}

/* As an older architecture it has no more shared memory than that. */
static int64_t shared_max(const bp_cuda_info *info, int arch)
{
  const int64_t of_arch = arch ? (int64_t)bp_architecture_of(arch)->shared_kb << 10 : INT64_MAX;
  return of_arch < info->shared_per_block ? of_arch : info->shared_per_block;
}

static bp_limits limits_of(const bp_cuda_info *info, int arch)
{
  bp_cu_device handle = 0;
  bp_cu.DeviceGet(&handle, info->number);
  return (bp_limits){
      .sm = arch ? arch : info->sm,
      .threads_max = attribute_of(handle, BP_CU_MAX_THREADS_PER_BLOCK),
      .block_max = {attribute_of(handle, BP_CU_MAX_BLOCK_X),
                    attribute_of(handle, BP_CU_MAX_BLOCK_X + 1),
                    attribute_of(handle, BP_CU_MAX_BLOCK_X + 2)},
      .shared_max = shared_max(info, arch),
      .together_max = info->multiprocessors,
  };
}

static void close(bp_device *device)
{
  if (of(device)->context)
    of(device)->calls->destroy(of(device)->context);
  bp_free(device->boxes);
  bp_free(device->name);
  bp_free(device);
}

static bp_status open(const bp_device_options *options, bp_device **device)
{
  int count = 0;
  bp_status status = open_libraries(options->device, &count);
  if (status)
    return status;
  cuda_device *d = bp_alloc(1, sizeof *d);
  size_t free_bytes = 0;
  d->arch = options->arch;
  d->calls = options->in_process ? &bp_cuda_direct : bp_cuda_calls_chosen();
  status = read_info((options->device + options->local_rank) % count, &d->info);
  if (!status && d->arch > d->info.sm)
    status = bp_fail(BP_BAD_INPUT, "cuda: arch: expected sm_%d or older on %s, found sm_%d",
                     d->info.sm, d->info.name, d->arch);
  if (!status)
    status = create_context(d);
  if (status) {
    close(&d->base);
    return status;
  }
  d->calls->memory(d->context, &free_bytes);
  d->base = (bp_device){
      .backend = &bp_backend_cuda,
      .name =
          d->arch ? bp_format("as sm_%d on %s", d->arch, d->info.name) : bp_strdup(d->info.name),
      .lanes = 1,
      .sms = d->info.multiprocessors,
      .cache_bytes = d->info.l2_bytes,
      .memory_free = (int64_t)free_bytes,
      .peak_bytes_per_second = d->info.peak_bytes_per_second,
      .limits = limits_of(&d->info, d->arch),
      .in_process = options->in_process,
      .graph = options->graph,
      .launches = options->launches,
      .waits = options->waits,
  };
  bp_architecture_class(d->base.class, d->base.limits.sm);
  *device = &d->base;
  return BP_OK;
}

/* ---- memory ---- */

static int64_t memory_free(bp_device *device)
{
  size_t bytes = 0;
  if (of(device)->context)
    of(device)->calls->memory(of(device)->context, &bytes);
  return (int64_t)bytes;
}

static bp_status alloc(bp_device *device, int64_t bytes, bp_address *address)
{
  cuda_device *d = of(device);
  *address = 0;
  bp_status status = enter(d);
  if (status)
    return status;
  bp_cu_result result = d->calls->alloc(d->context, (size_t)bytes, address);
  if (!result)
    return BP_OK;
  *address = 0;
  return result == BP_CU_OUT_OF_MEMORY ? BP_OK : failed(d, result, "allocating memory");
}

static void release(bp_device *device, bp_address address)
{
  if (of(device)->context)
    of(device)->calls->release(of(device)->context, address);
}

static bp_status write(bp_device *device, bp_address to, const void *from, int64_t bytes)
{
  cuda_device *d = of(device);
  bp_status status = enter(d);
  bp_cu_result result = status ? 0 : d->calls->upload(d->context, to, from, (size_t)bytes);
  return result ? failed(d, result, "writing memory") : status;
}

static bp_status read(bp_device *device, void *to, bp_address from, int64_t bytes)
{
  cuda_device *d = of(device);
  bp_status status = enter(d);
  bp_cu_result result = status ? 0 : d->calls->download(d->context, to, from, (size_t)bytes);
  return result ? failed(d, result, "reading memory") : status;
}

static bp_status fill(bp_device *device, bp_address to, uint32_t word, int64_t words)
{
  cuda_device *d = of(device);
  bp_status status = enter(d);
  bp_cu_result result = status ? 0 : d->calls->fill(d->context, to, word, (size_t)words);
  return result ? failed(d, result, "filling memory") : status;
}

/* ---- code ---- */

static bp_jit_request request_of(const bp_device *device, const bp_build *build)
{
  return (bp_jit_request){*build, device->limits.sm,
                          ((const cuda_device *)device)->arch &&
                              device->limits.sm < bp_cuda_device_info(device)->sm};
}

static void build(bp_device *device, const bp_build *builds, int count)
{
  bp_jit_request *requests = bp_alloc((size_t)count, sizeof *requests);
  for (int n = 0; n < count; ++n)
    requests[n] = request_of(device, &builds[n]);
  bp_jit_compile_all(requests, count, 0);
  bp_free(requests);
}

static bp_status load(bp_device *device, const bp_build *build, bp_module *module,
                      bp_code_info *info)
{
  cuda_device *d = of(device);
  const bp_jit_code *code;
  const bp_jit_request request = request_of(device, build);
  bp_status status = enter(d);
  *module = 0;
  if (!status)
    status = bp_jit_compile(&request, &code);
  if (status)
    return status;
  *info = (bp_code_info){code->seconds, (int64_t)code->size};
  bp_cu_result result = d->calls->load(d->context, code->image, code->size, module);
  if (!result)
    return BP_OK;
  *module = 0;
  char *what = bp_format("loading %s", build->choice.variant->text->file);
  status = failed(d, result, what);
  bp_free(what);
  return status;
}

static void unload(bp_device *device, bp_module module)
{
  if (of(device)->context)
    of(device)->calls->unload(of(device)->context, module);
}

/* Whether the function can be launched in that shape, and how many blocks then fit a multiprocessor. */
static bp_status fit(cuda_device *d, const char *kernel, const bp_cuda_function_info *info,
                     const bp_shape *shape, int *blocks_per_sm)
{
  int64_t threads = shape->threads[0] * shape->threads[1] * shape->threads[2];
  int64_t limit = d->base.limits.shared_max, shared = info->shared_bytes + shape->shared;
  if (threads > info->threads_max)
    return bp_fail(
        BP_SKIPPED,
        "%s needs %lld threads of %lld registers per block; this device allows %lld threads",
        kernel, (long long)threads, (long long)info->registers, (long long)info->threads_max);
  if (shared > limit || d->calls->shape(d->context, info->function, (int)threads,
                                        (size_t)shape->shared, blocks_per_sm))
    return bp_fail(BP_SKIPPED,
                   "%s needs %lld bytes of shared memory per block; this device allows %lld",
                   kernel, (long long)shared, (long long)limit);
  if (*blocks_per_sm == 0)
    return bp_fail(BP_SKIPPED, "%s: not one block fits on a multiprocessor of this device", kernel);
  return BP_OK;
}

static bp_status find(bp_device *device, bp_module module, const char *kernel,
                      const bp_shape *shape, bp_function_info *info)
{
  cuda_device *d = of(device);
  bp_cuda_function_info found;
  char text[200];
  int blocks_per_sm = 0;
  bp_status status = enter(d);
  if (status)
    return status;
  bp_cu_result result = d->calls->find(d->context, module, kernel, &found);
  if (result)
    return bp_fail(BP_ENVIRONMENT, "cuda: a header launches %s, which its file does not hold: %s",
                   kernel, bp_cuda_error(result, text));
  status = fit(d, kernel, &found, shape, &blocks_per_sm);
  *info = (bp_function_info){.function = found.function,
                             .registers = found.registers,
                             .spill_bytes = found.local_bytes,
                             .shared_bytes = found.shared_bytes,
                             .blocks_per_sm = blocks_per_sm};
  return status;
}

/* ---- running ---- */

/* When the context was lost there is a new one (or BP_ENVIRONMENT, when that cannot be had). */
static bp_status outcome(cuda_device *d, bp_cu_result result, const char *what)
{
  char text[200];
  if (!result)
    return BP_OK;
  bp_cuda_error(result, text);
  if (result >= BP_CUDA_NCCL_FAILED) /* no rank can go on */
    return bp_fail(BP_ENVIRONMENT, "cuda: %s: %s", what, text);
  if (result != BP_CUDA_WORKER_SLOW && !is_lost(d)) /* a slow one would not answer now either */
    return bp_fail(BP_WRONG, "%s failed: %s", what, text);
  renew(d);
  if (!d->context)
    return bp_fail(BP_ENVIRONMENT, "cuda: %s failed: %s; the device is lost for this run", what,
                   text);
  return bp_fail(BP_WRONG, "%s failed: %s; the device was started anew", what, text);
}

/* What waits for other ranks cannot be replayed: the numbers that it waits for grow. */
static bool can_be_graph(const bp_run *what)
{
  for (int n = 0; n < what->steps_count; ++n)
    if (what->steps[n].kind == BP_STEP_WAIT)
      return false;
  return true;
}

static bp_status run(bp_device *device, const bp_run *what, const char *name, double *seconds)
{
  cuda_device *d = of(device);
  bp_status status = enter(d);
  bool graph = (device->graph || what->graph) && seconds && can_be_graph(what);
  return status ? status : outcome(d, d->calls->run(d->context, what, graph, seconds), name);
}

bp_status bp_cuda_issue_steps(bp_device *device, const bp_step *steps, int count, void *stream,
                              const char *what)
{
  cuda_device *d = of(device);
  char text[200];
  BP_ASSERT(d->calls == &bp_cuda_direct);
  bp_status status = enter(d);
  bp_cu_result result = status ? 0 : bp_cuda_issue(d->context, steps, count, stream);
  return result ? bp_fail(BP_ENVIRONMENT, "%s: %s", what, bp_cuda_error(result, text)) : status;
}

void *bp_cuda_current(void)
{
  bp_cu_context context = NULL;
  return bp_cu.CtxGetCurrent && !bp_cu.CtxGetCurrent(&context) ? context : NULL;
}

void bp_cuda_make_current(void *context)
{
  if (bp_cu.CtxSetCurrent)
    bp_cu.CtxSetCurrent(context);
}

/* ---- ranks ---- */

/* Of 2 MiB, so that no other memory is shared with it. */
static int64_t box_size(int64_t bytes)
{
  const int64_t page = 2 << 20;
  return (bytes + BP_BOX_COPIES + page - 1) / page * page;
}

/* Together: two ranks that have one device, by its host and address on the bus. */
static bool find_shared(const cuda_device *d, int ranks[2])
{
  double all[BP_RANKS_MAX] = {0};
  char host[64];
  bp_comm_host(host);
  char *place = bp_format("%s %s", host, d->info.pci);
  const double mine = (double)(bp_hash_bytes(place, strlen(place)).word[0] >> 12);
  bp_free(place);
  bp_comm_all(d->base.comm, &mine, 1, all);
  for (ranks[1] = 1; ranks[1] < d->base.comm->size; ++ranks[1])
    for (ranks[0] = 0; ranks[0] < ranks[1]; ++ranks[0])
      if (all[ranks[0]] == all[ranks[1]])
        return true;
  return false;
}

static void close_mailboxes(cuda_device *d)
{
  bp_cuda_mailboxes_close(d->calls, d->context, d->base.comm);
  bp_free(d->base.boxes);
  d->base.boxes = NULL;
  d->box_bytes = 0;
}

static bp_status open_mailboxes(cuda_device *d, int64_t bytes)
{
  const int64_t wanted = box_size((int64_t)bp_comm_largest(d->base.comm, (double)bytes));
  const char *variable = getenv("BP_CUDA_MAILBOXES"); /* for tests */
  int shared[2];
  if (d->box_bytes >= wanted)
    return BP_OK;
  if (d->base.boxes)
    close_mailboxes(d);
  d->base.boxes = bp_alloc(BP_RANKS_MAX, sizeof *d->base.boxes);
  d->box_bytes = wanted;
  bp_status status =
      bp_cuda_mailboxes_open(d->calls, d->context, d->base.comm, wanted, d->base.boxes);
  if (status)
    close_mailboxes(d);
  else
    d->base.kernels_wait =
        !find_shared(d, shared) && !(variable && strcmp(variable, "stream") == 0);
  return status;
}

static bp_status open_nccl(cuda_device *d)
{
  int ranks[2];
  if (find_shared(d, ranks))
    return bp_fail(BP_SKIPPED,
                   "cuda: ranks %d and %d have one GPU, and NCCL takes one for each rank", ranks[0],
                   ranks[1]);
  return bp_nccl_connect(d->calls, d->context, d->base.comm);
}

static bp_status connect(bp_device *device, bp_way way, int64_t bytes)
{
  bp_status status = bp_comm_agree(device->comm, enter(of(device)));
  if (status)
    return status;
  return way == BP_WAY_IPC ? open_mailboxes(of(device), bytes) : open_nccl(of(device));
}

static void disconnect(bp_device *device, bp_way way)
{
  cuda_device *d = of(device);
  if (way == BP_WAY_IPC)
    close_mailboxes(d);
  else if (d->context)
    d->calls->leave_nccl(d->context);
}

const bp_backend bp_backend_cuda = {
    .name = "cuda",
    .language = BP_LANGUAGE_CUDA,
    .has_copy = true,
    .open = open,
    .close = close,
    .memory_free = memory_free,
    .alloc = alloc,
    .release = release,
    .write = write,
    .read = read,
    .fill = fill,
    .build = build,
    .load = load,
    .unload = unload,
    .find = find,
    .connect = connect,
    .disconnect = disconnect,
    .run = run,
};
