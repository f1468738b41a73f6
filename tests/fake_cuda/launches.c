/* launches.c -- of the driver that pretends: modules and functions, launches and graphs. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

static int something; /* what handles point to */

bp_cu_result cuModuleLoadData(bp_cu_module *, const void *), cuModuleUnload(bp_cu_module),
    cuModuleGetFunction(bp_cu_function *, bp_cu_module, const char *),
    cuFuncGetAttribute(int *, int, bp_cu_function), cuFuncSetAttribute(bp_cu_function, int, int),
    cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, bp_cu_function, int, size_t),
    cuLaunchKernel(bp_cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, bp_cu_stream, void **, void **),
    cuStreamBeginCapture_v2(bp_cu_stream, int), cuStreamEndCapture(bp_cu_stream, bp_cu_graph *),
    cuGraphInstantiateWithFlags(bp_cu_graph_exec *, bp_cu_graph, unsigned long long),
    cuGraphUpload(bp_cu_graph_exec, bp_cu_stream), cuGraphLaunch(bp_cu_graph_exec, bp_cu_stream),
    cuGraphExecDestroy(bp_cu_graph_exec), cuGraphDestroy(bp_cu_graph);

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
  const fake_kernel *k = (const fake_kernel *)(uintptr_t)function;
  *value = attribute == BP_CU_FUNCTION_MAX_THREADS ? strcmp(k->name, "heavy") == 0 ? 32 : 1024
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

typedef struct {
  const fake_kernel *kernel;
  fake_call arguments;
} fake_node;

struct bp_cu_graph_exec_s {
  fake_node *nodes;
  size_t count;
};

static struct bp_cu_graph_exec_s
    captured; /* so far, or the latest graph, which becomes one to run */
static bool is_capturing;

static void capture(const fake_kernel *kernel, const fake_call *arguments)
{
  const size_t count = captured.count;
  if ((count & (count - 1)) == 0) { /* it is full: room for twice as many */
    fake_node *nodes = realloc(captured.nodes, (count ? 2 * count : 1) * sizeof *nodes);
    if (!nodes)
      abort();
    captured.nodes = nodes;
  }
  captured.nodes[captured.count++] = (fake_node){kernel, *arguments};
}

/* A launch takes 2 us beside what its kernel takes. */
static void launch(const fake_kernel *k, const fake_call *c)
{
  fake_clock += 2e-6;
  k->run(c);
}

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
  fake_call c = {.grid = gx * gy * gz, .threads = tx * ty * tz, .stream = stream};
  (void)shared;
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
  for (int n = 0; n < FAKE_OPERANDS_MAX && arguments[3 + n]; ++n)
    memcpy(&c.operands[n], arguments[3 + n], sizeof c.operands[n]);
  if (is_capturing)
    capture(k, &c);
  else
    launch(k, &c);
  return OK;
}

bp_cu_result cuStreamBeginCapture_v2(bp_cu_stream stream, int mode)
{
  ENTER;
  (void)mode;
  is_capturing = true;
  free(captured.nodes);
  captured.nodes = NULL;
  captured.count = 0;
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
  bp_cu_graph_exec made = malloc(sizeof *made);
  if (flags || !graph || !made)
    return INVALID;
  *made = captured;
  captured.nodes = NULL;
  captured.count = 0;
  *exec = made;
  return OK;
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
  (void)stream;
  for (size_t n = 0; n < exec->count; ++n)
    launch(exec->nodes[n].kernel, &exec->nodes[n].arguments);
  return OK;
}

bp_cu_result cuGraphExecDestroy(bp_cu_graph_exec exec)
{
  ENTER;
  free(exec->nodes);
  free(exec);
  return OK;
}

bp_cu_result cuGraphDestroy(bp_cu_graph graph)
{
  ENTER;
  return graph ? OK : INVALID;
}
