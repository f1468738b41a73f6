/* direct.c -- the calls of context.h by the driver, in this process. */
#include "device/cuda/context.h"

#include "base/memory.h"
#include "device/cuda/nccl.h"
#include "device/program.h"
#include "kernels/abi/ranks.h"
#include <string.h>

enum { GRAPH_LAUNCHES = 256, GRAPH_STEPS = 1 << 16, GRAPHS_MAX = 64 };

/* Steps, so many times over, and the graph that was made of them. */
typedef struct {
  const bp_step *steps;
  int count;
  int64_t repetitions;
} captured;

typedef struct {
  captured of;
  bp_cu_graph_exec exec;
} replay;

struct bp_cuda_context {
  bp_cu_device device;
  bp_cu_context handle; /* the primary one, which NCCL uses as well */
  bp_cu_stream stream;
  bp_cu_event start, stop;
  bp_cu_pointer shared, joined[BP_RANKS_MAX]; /* 0: none */
  uint32_t posts;                             /* of this rank since it shares */
  bp_nccl_comm *nccl;                         /* NULL: none */
  replay *graphs; /* made so far; functions and arrays in them are still there */
  int graphs_count;
};

/* First in every call: the first failure in a row of calls is the result. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    bp_cu_result result_ = (call);                                                                 \
    if (result_)                                                                                   \
      return result_;                                                                              \
  } while (0)

static bp_cu_result open_context(bp_cuda_context *c, int device)
{
  TRY(bp_cu.DeviceGet(&c->device, device));
  TRY(bp_cu.DevicePrimaryCtxRetain(&c->handle, c->device));
  TRY(bp_cu.CtxSetCurrent(c->handle));
  TRY(bp_cu.StreamCreate(&c->stream, BP_CU_STREAM_NON_BLOCKING));
  TRY(bp_cu.EventCreate(&c->start, 0));
  return bp_cu.EventCreate(&c->stop, 0);
}

static void forget_graphs(bp_cuda_context *c)
{
  for (int n = 0; n < c->graphs_count; ++n) {
    bp_cu.GraphExecDestroy(c->graphs[n].exec);
    bp_free((void *)(uintptr_t)c->graphs[n].of.steps);
  }
  c->graphs_count = 0;
}

/* Others may hold the primary context, so nothing is left in it. Of one that is lost the calls fail. */
static void destroy(bp_cuda_context *context)
{
  if (context->handle && !bp_cu.CtxSetCurrent(context->handle)) {
    forget_graphs(context);
    if (context->start)
      bp_cu.EventDestroy(context->start);
    if (context->stop)
      bp_cu.EventDestroy(context->stop);
    if (context->stream)
      bp_cu.StreamDestroy(context->stream);
    bp_cu.DevicePrimaryCtxRelease(context->device);
  }
  bp_free(context->graphs);
  bp_free(context);
}

static bp_cu_result create(int device, bp_cuda_context **context)
{
  bp_cuda_context *c = bp_alloc(1, sizeof *c);
  bp_cu_result result = open_context(c, device);
  c->graphs = bp_alloc(GRAPHS_MAX, sizeof *c->graphs);
  if (result)
    destroy(c);
  else
    *context = c;
  return result;
}

/* ---- memory ---- */

static bp_cu_result memory(bp_cuda_context *context, size_t *free_bytes)
{
  size_t total;
  TRY(bp_cu.CtxSetCurrent(context->handle));
  return bp_cu.MemGetInfo(free_bytes, &total);
}

static bp_cu_result alloc(bp_cuda_context *context, size_t bytes, bp_cu_pointer *pointer)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  return bp_cu.MemAlloc(pointer, bytes);
}

static bp_cu_result release(bp_cuda_context *context, bp_cu_pointer pointer)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  forget_graphs(context);
  return bp_cu.MemFree(pointer);
}

bp_cu_result bp_cuda_pin(bp_cuda_context *context, void *memory, size_t bytes)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  return bp_cu.MemHostRegister ? bp_cu.MemHostRegister(memory, bytes, 0) : BP_CU_NOT_SUPPORTED;
}

static bp_cu_result upload(bp_cuda_context *context, bp_cu_pointer to, const void *from,
                           size_t bytes)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  TRY(bp_cu.MemcpyHtoDAsync(to, from, bytes, context->stream));
  return bp_cu.StreamSynchronize(context->stream);
}

static bp_cu_result download(bp_cuda_context *context, void *to, bp_cu_pointer from, size_t bytes)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  TRY(bp_cu.MemcpyDtoHAsync(to, from, bytes, context->stream));
  return bp_cu.StreamSynchronize(context->stream);
}

static bp_cu_result fill(bp_cuda_context *context, bp_cu_pointer to, uint32_t word, size_t words)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  TRY(bp_cu.MemsetD32Async(to, word, words, context->stream));
  return bp_cu.StreamSynchronize(context->stream);
}

/* ---- memory of several processes ---- */

static bp_cu_result share(bp_cuda_context *context, size_t bytes, bp_cu_pointer *pointer,
                          bp_cu_handle *handle)
{
  if (!bp_cu.IpcGetMemHandle)
    return BP_CU_NOT_SUPPORTED;
  TRY(alloc(context, bytes, pointer));
  context->shared = *pointer;
  context->posts = 0;
  TRY(fill(context, *pointer, 0, bytes / sizeof(uint32_t)));
  return bp_cu.IpcGetMemHandle(handle, *pointer);
}

static bp_cu_result join(bp_cuda_context *context, const bp_cu_handle *handles, int count, int own,
                         bp_cu_pointer *pointers)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  pointers[own] = context->shared;
  for (int n = 0; n < count; ++n) {
    if (n == own)
      continue;
    TRY(bp_cu.IpcOpenMemHandle(&context->joined[n], handles[n], BP_CU_IPC_LAZY_PEER_ACCESS));
    pointers[n] = context->joined[n];
  }
  return 0;
}

static bp_cu_result leave(bp_cuda_context *context)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  for (int n = 0; n < BP_RANKS_MAX; ++n)
    if (context->joined[n]) {
      bp_cu.IpcCloseMemHandle(context->joined[n]);
      context->joined[n] = 0;
    }
  return 0;
}

static bp_cu_result take_back(bp_cuda_context *context)
{
  bp_cu_pointer shared = context->shared;
  context->shared = 0;
  return shared ? release(context, shared) : 0;
}

/* ---- NCCL ---- */

static bp_cu_result open_nccl(bp_cuda_context *context, bool makes_id, bp_nccl_id *id)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  return bp_nccl_open(makes_id ? id : NULL);
}

static bp_cu_result join_nccl(bp_cuda_context *context, const bp_nccl_id *id, int rank, int size)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  return bp_nccl_join(id, rank, size, &context->nccl);
}

static bp_cu_result leave_nccl(bp_cuda_context *context)
{
  bp_nccl_comm *nccl = context->nccl;
  context->nccl = NULL;
  TRY(bp_cu.CtxSetCurrent(context->handle));
  forget_graphs(context); /* they hold it */
  return nccl ? bp_nccl_leave(nccl) : 0;
}

/* ---- functions ---- */

static bp_cu_result load(bp_cuda_context *context, const char *image, size_t size,
                         bp_module *module)
{
  bp_cu_module handle;
  (void)size; /* both kinds of images end by themselves */
  TRY(bp_cu.CtxSetCurrent(context->handle));
  TRY(bp_cu.ModuleLoadData(&handle, image));
  *module = (uint64_t)(uintptr_t)handle;
  return 0;
}

static bp_cu_result unload(bp_cuda_context *context, bp_module module)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  forget_graphs(context);
  return bp_cu.ModuleUnload((bp_cu_module)(uintptr_t)module);
}

static bp_cu_function handle_of(bp_function function)
{
  return (bp_cu_function)(uintptr_t)function;
}

static bp_cu_result find(bp_cuda_context *context, bp_module module, const char *kernel,
                         bp_cuda_function_info *info)
{
  bp_cu_function f;
  int registers, local, shared, threads;
  TRY(bp_cu.CtxSetCurrent(context->handle));
  TRY(bp_cu.ModuleGetFunction(&f, (bp_cu_module)(uintptr_t)module, kernel));
  TRY(bp_cu.FuncGetAttribute(&registers, BP_CU_FUNCTION_REGISTERS, f));
  TRY(bp_cu.FuncGetAttribute(&local, BP_CU_FUNCTION_LOCAL_BYTES, f));
  TRY(bp_cu.FuncGetAttribute(&shared, BP_CU_FUNCTION_SHARED_BYTES, f));
  TRY(bp_cu.FuncGetAttribute(&threads, BP_CU_FUNCTION_MAX_THREADS, f));
  *info = (bp_cuda_function_info){(uint64_t)(uintptr_t)f, registers, local, shared, threads};
  return 0;
}

static bp_cu_result shape(bp_cuda_context *context, bp_function function, int threads,
                          size_t shared, int *blocks_per_sm)
{
  bp_cu_function f = handle_of(function);
  TRY(bp_cu.CtxSetCurrent(context->handle));
  TRY(bp_cu.FuncSetAttribute(f, BP_CU_FUNCTION_MAX_DYNAMIC_SHARED, (int)shared));
  return bp_cu.OccupancyMaxActiveBlocksPerMultiprocessor(blocks_per_sm, f, threads, shared);
}

/* ---- running ---- */

enum { SCALARS = 3 };

static int64_t most(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static bp_cu_result launch(bp_cuda_context *c, const bp_step *step)
{
  const bp_shape *s = &step->shape;
  int32_t elements = (int32_t)step->elements, degree = step->degree;
  double lambda = step->lambda;
  uint64_t values[BP_STEP_OPERANDS_MAX];
  void *arguments[SCALARS + BP_STEP_OPERANDS_MAX] = {&elements, &degree, &lambda};
  for (int n = 0; n < step->operands_count; ++n) {
    values[n] = step->operands[n].value;
    arguments[SCALARS + n] = &values[n]; /* of narrower values the lower bytes */
  }
  return bp_cu.LaunchKernel(handle_of(step->function), (unsigned)s->blocks, 1, 1,
                            (unsigned)s->threads[0], (unsigned)s->threads[1],
                            (unsigned)s->threads[2], (unsigned)s->shared, c->stream, arguments,
                            NULL);
}

/* The kernel before it has posted as well. */
static bp_cu_result wait_for_mail(bp_cuda_context *c, const bp_step *step)
{
  const bp_cu_pointer flags = step->to + BP_BOX_FLAGS;
  ++c->posts;
  for (int32_t r = 0; r < step->ranks; ++r)
    if (r != step->rank)
      TRY(bp_cu.StreamWaitValue32(c->stream, flags + (bp_cu_pointer)r * sizeof(uint32_t), c->posts,
                                  BP_CU_WAIT_AT_LEAST));
  return 0;
}

static bp_cu_result issue_step(bp_cuda_context *c, const bp_step *step)
{
  if (step->kind == BP_STEP_LAUNCH)
    return launch(c, step);
  if (step->kind == BP_STEP_SUM)
    return bp_nccl_sum(c->nccl, step, c->stream);
  if (step->kind == BP_STEP_WAIT)
    return wait_for_mail(c, step);
  return bp_cu.MemcpyDtoDAsync(step->to, step->from, (size_t)step->bytes, c->stream);
}

static bp_cu_result issue(bp_cuda_context *c, const bp_step *steps, int count)
{
  for (int n = 0; n < count; ++n) {
    int swaps = 0;
    if (steps[n].kind == BP_STEP_REPEAT) {
      for (int64_t t = 0; t < steps[n].times; ++t)
        TRY(issue(c, steps + n + 1, steps[n].body));
      n += steps[n].body;
      continue;
    }
    while (n + swaps < count && steps[n + swaps].kind == BP_STEP_SWAP)
      ++swaps;
    if (swaps > 0) {
      TRY(bp_nccl_exchange(c->nccl, steps + n, swaps, c->stream));
      n += swaps - 1;
      continue;
    }
    TRY(issue_step(c, &steps[n]));
    if (steps[n].waits)
      TRY(bp_cu.StreamSynchronize(c->stream));
  }
  return 0;
}

static bp_cu_result capture(bp_cuda_context *c, const captured *what, bp_cu_graph *graph)
{
  bp_cu_result result = 0;
  TRY(bp_cu.StreamBeginCapture(c->stream, BP_CU_CAPTURE_THREAD_LOCAL));
  for (int64_t n = 0; n < what->repetitions && !result; ++n)
    result = issue(c, what->steps, what->count);
  bp_cu_result ended = bp_cu.StreamEndCapture(c->stream, graph);
  return result ? result : ended;
}

static bool is_same(const captured *a, const captured *b)
{
  return a->repetitions == b->repetitions && a->count == b->count &&
         memcmp(a->steps, b->steps, (size_t)a->count * sizeof *a->steps) == 0;
}

/* Made when first asked for. */
static bp_cu_result find_graph(bp_cuda_context *c, const captured *what, bp_cu_graph_exec *exec)
{
  bp_cu_graph graph = NULL;
  for (int n = 0; n < c->graphs_count; ++n)
    if (is_same(&c->graphs[n].of, what)) {
      *exec = c->graphs[n].exec;
      return 0;
    }
  if (c->graphs_count == GRAPHS_MAX)
    forget_graphs(c);
  TRY(capture(c, what, &graph));
  bp_cu_result result = bp_cu.GraphInstantiate(exec, graph, 0);
  bp_cu.GraphDestroy(graph);
  TRY(result);
  bp_step *steps = bp_alloc((size_t)what->count, sizeof *steps);
  memcpy(steps, what->steps, (size_t)what->count * sizeof *steps);
  c->graphs[c->graphs_count++] = (replay){{steps, what->count, what->repetitions}, *exec};
  return bp_cu.GraphUpload(*exec, c->stream);
}

/* Steps as one graph, or, where they are more than one should have, loops in parts. Without `launches` the
 * graphs are only made. */
static bp_cu_result replay_all(bp_cuda_context *c, const captured *what, bool launches)
{
  bp_cu_graph_exec exec;
  if (what->count == 1 ||
      bp_steps_length(what->steps, what->count) * what->repetitions <= GRAPH_STEPS) {
    TRY(find_graph(c, what, &exec));
    return launches ? bp_cu.GraphLaunch(exec, c->stream) : 0;
  }
  for (int n = 0, body = 0; n < what->count; n += 1 + body) {
    const bp_step *const step = &what->steps[n];
    const bool is_loop = step->kind == BP_STEP_REPEAT;
    const int64_t length = is_loop ? bp_steps_length(step + 1, step->body) : 1;
    const int64_t times = is_loop ? step->times : 1,
                  at_once = most(1, GRAPH_STEPS / most(1, length));
    body = is_loop ? step->body : 0;
    for (int64_t t = 0; t < times && (body || !is_loop); t += at_once) {
      const captured part = {is_loop ? step + 1 : step, is_loop ? body : 1,
                             least(times - t, at_once)};
      TRY(replay_all(c, &part, launches));
    }
  }
  return 0;
}

static bp_cu_result run(bp_cuda_context *context, const bp_run *run, bool graph, double *seconds)
{
  bp_cuda_context *c = context;
  const int64_t length = most(1, bp_steps_length(run->steps, run->steps_count));
  /* Whole graphs only, so it may be some more than asked for. */
  const int64_t in_graph =
      least(run->repetitions, most(1, least(GRAPH_LAUNCHES, GRAPH_STEPS / length)));
  const captured all = {run->steps, run->steps_count, in_graph};
  int64_t issued = 0;
  float milliseconds = 0;
  TRY(bp_cu.CtxSetCurrent(c->handle));
  if (graph)
    TRY(replay_all(c, &all, false));
  TRY(issue(c, run->before, run->before_count));
  if (seconds)
    TRY(bp_cu.EventRecord(c->start, c->stream));
  for (; issued < run->repetitions; issued += graph ? in_graph : 1)
    TRY(graph ? replay_all(c, &all, true) : issue(c, run->steps, run->steps_count));
  if (seconds)
    TRY(bp_cu.EventRecord(c->stop, c->stream));
  TRY(bp_cu.StreamSynchronize(c->stream));
  if (seconds) {
    TRY(bp_cu.EventElapsedTime(&milliseconds, c->start, c->stop));
    *seconds = 1e-3 * (double)milliseconds / (double)issued;
  }
  return 0;
}

bp_cu_result bp_cuda_issue(bp_cuda_context *context, const bp_step *steps, int count,
                           bp_cu_stream stream)
{
  bp_cuda_context *c = context;
  bp_cu_context before = NULL;
  const bp_cu_stream own = c->stream;
  TRY(bp_cu.CtxGetCurrent(&before));
  TRY(bp_cu.CtxSetCurrent(c->handle));
  c->stream = stream;
  bp_cu_result result = issue(c, steps, count);
  c->stream = own;
  TRY(bp_cu.CtxSetCurrent(before));
  return result;
}

const bp_cuda_calls bp_cuda_direct = {
    .create = create,
    .destroy = destroy,
    .memory = memory,
    .alloc = alloc,
    .release = release,
    .upload = upload,
    .download = download,
    .fill = fill,
    .load = load,
    .unload = unload,
    .find = find,
    .shape = shape,
    .share = share,
    .join = join,
    .leave = leave,
    .unshare = take_back,
    .open_nccl = open_nccl,
    .join_nccl = join_nccl,
    .leave_nccl = leave_nccl,
    .run = run,
};
