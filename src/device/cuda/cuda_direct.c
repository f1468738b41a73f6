/* cuda_direct.c -- the calls of cuda_context.h by the driver, in this process. */
#include "device/cuda/cuda_context.h"

#include "base/memory.h"
#include <string.h>

enum { GRAPH_LAUNCHES = 256, GRAPHS_MAX = 64 };

typedef struct {
  bp_cuda_work work;
  int64_t repetitions;
  bp_cu_graph_exec exec;
} replay;

struct bp_cuda_context {
  bp_cu_context handle;
  bp_cu_stream stream;
  bp_cu_event start, stop;
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
  bp_cu_device handle;
  TRY(bp_cu.DeviceGet(&handle, device));
  TRY(bp_cu.CtxCreate(&c->handle, 0, handle));
  TRY(bp_cu.StreamCreate(&c->stream, BP_CU_STREAM_NON_BLOCKING));
  TRY(bp_cu.EventCreate(&c->start, 0));
  return bp_cu.EventCreate(&c->stop, 0);
}

static void destroy(bp_cuda_context *context)
{
  if (context->handle)
    bp_cu.CtxDestroy(context->handle);
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

static void forget_graphs(bp_cuda_context *c)
{
  for (int n = 0; n < c->graphs_count; ++n)
    bp_cu.GraphExecDestroy(c->graphs[n].exec);
  c->graphs_count = 0;
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

/* ---- functions ---- */

static bp_cu_result load(bp_cuda_context *context, const char *image, size_t size,
                         bp_cuda_module *module)
{
  bp_cu_module handle;
  (void)size; /* both kinds of images end by themselves */
  TRY(bp_cu.CtxSetCurrent(context->handle));
  TRY(bp_cu.ModuleLoadData(&handle, image));
  *module = (uint64_t)(uintptr_t)handle;
  return 0;
}

static bp_cu_result unload(bp_cuda_context *context, bp_cuda_module module)
{
  TRY(bp_cu.CtxSetCurrent(context->handle));
  forget_graphs(context);
  return bp_cu.ModuleUnload((bp_cu_module)(uintptr_t)module);
}

static bp_cu_function handle_of(bp_cuda_function function)
{
  return (bp_cu_function)(uintptr_t)function;
}

static bp_cu_result find(bp_cuda_context *context, bp_cuda_module module, const char *kernel,
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

static bp_cu_result shape(bp_cuda_context *context, bp_cuda_function function, int threads,
                          size_t shared, int *blocks_per_sm)
{
  bp_cu_function f = handle_of(function);
  TRY(bp_cu.CtxSetCurrent(context->handle));
  TRY(bp_cu.FuncSetAttribute(f, BP_CU_FUNCTION_MAX_DYNAMIC_SHARED, (int)shared));
  return bp_cu.OccupancyMaxActiveBlocksPerMultiprocessor(blocks_per_sm, f, threads, shared);
}

/* ---- running ---- */

static bp_cu_result issue(bp_cuda_context *c, const bp_cuda_work *work)
{
  bp_cuda_work w = *work;
  void *arguments[] = {&w.elements, &w.degree, &w.lambda, &w.I,      &w.D,
                       &w.factors,  &w.u,      &w.v,      &w.scratch};
  if (w.launches_count == 0)
    return bp_cu.MemcpyDtoDAsync(w.v, w.u, w.bytes, c->stream);
  for (int64_t n = 0; n < w.launches_count; ++n) {
    const bp_cuda_launch *l = &w.launches[n];
    TRY(bp_cu.LaunchKernel(handle_of(l->function), l->blocks, 1, 1, l->threads[0], l->threads[1],
                           l->threads[2], l->shared, c->stream, arguments, NULL));
  }
  return 0;
}

static bp_cu_result capture(bp_cuda_context *c, const bp_cuda_work *work, int64_t repetitions,
                            bp_cu_graph *graph)
{
  bp_cu_result result = 0;
  TRY(bp_cu.StreamBeginCapture(c->stream, BP_CU_CAPTURE_THREAD_LOCAL));
  for (int64_t n = 0; n < repetitions && !result; ++n)
    result = issue(c, work);
  bp_cu_result ended = bp_cu.StreamEndCapture(c->stream, graph);
  return result ? result : ended;
}

/* `repetitions` applications as one graph, made when first asked for. */
static bp_cu_result find_graph(bp_cuda_context *c, const bp_cuda_work *work, int64_t repetitions,
                               bp_cu_graph_exec *exec)
{
  bp_cu_graph graph = NULL;
  for (int n = 0; n < c->graphs_count; ++n)
    if (c->graphs[n].repetitions == repetitions &&
        memcmp(&c->graphs[n].work, work, sizeof *work) == 0) {
      *exec = c->graphs[n].exec;
      return 0;
    }
  if (c->graphs_count == GRAPHS_MAX)
    forget_graphs(c);
  TRY(capture(c, work, repetitions, &graph));
  bp_cu_result result = bp_cu.GraphInstantiate(exec, graph, 0);
  bp_cu.GraphDestroy(graph);
  TRY(result);
  c->graphs[c->graphs_count++] = (replay){*work, repetitions, *exec};
  return bp_cu.GraphUpload(*exec, c->stream);
}

/* Whole graphs only, so it may be some more than asked for: *issued tells. */
static bp_cu_result issue_all(bp_cuda_context *c, const bp_cuda_run *run, bp_cu_graph_exec graph,
                              int64_t in_graph, int64_t *issued)
{
  for (*issued = 0; *issued < run->repetitions; *issued += graph ? in_graph : 1)
    TRY(graph ? bp_cu.GraphLaunch(graph, c->stream) : issue(c, &run->work));
  return 0;
}

static bp_cu_result run(bp_cuda_context *context, const bp_cuda_run *run, double *seconds)
{
  bp_cuda_context *c = context;
  bp_cu_graph_exec graph = NULL;
  int64_t in_graph = run->repetitions < GRAPH_LAUNCHES ? run->repetitions : GRAPH_LAUNCHES, issued;
  float milliseconds = 0;
  TRY(bp_cu.CtxSetCurrent(c->handle));
  if (run->graph)
    TRY(find_graph(c, &run->work, in_graph, &graph));
  if (run->has_before)
    TRY(issue(c, &run->before));
  if (run->timed)
    TRY(bp_cu.EventRecord(c->start, c->stream));
  TRY(issue_all(c, run, graph, in_graph, &issued));
  if (run->timed)
    TRY(bp_cu.EventRecord(c->stop, c->stream));
  TRY(bp_cu.StreamSynchronize(c->stream));
  if (run->timed) {
    TRY(bp_cu.EventElapsedTime(&milliseconds, c->start, c->stop));
    *seconds = 1e-3 * (double)milliseconds / (double)issued;
  }
  return 0;
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
    .run = run,
};
