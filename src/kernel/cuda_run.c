/* cuda_run.c -- applying and timing plans: launches, graphs, events, a cold cache. */
#include "base/memory.h"
#include "kernel/cuda_plan.h"

enum { GRAPH_LAUNCHES = 256, FLUSH_TIMES_L2 = 3 };

static bp_cuda_device *device_of(const bp_cuda_plan *p)
{
  return (bp_cuda_device *)p->base.device;
}

static const char *name_of(const bp_cuda_plan *p)
{
  return p->base.choice.variant ? p->base.choice.variant->id : "the driver's copy";
}

bp_cu_result bp_cuda_plan_issue(bp_cuda_plan *plan)
{
  bp_cuda_plan *p = plan;
  bp_cu_stream stream = device_of(p)->stream;
  void *arguments[] = {
      &p->arguments.elements, &p->arguments.degree, &p->arguments.lambda,
      &p->arguments.I,        &p->arguments.D,      &p->arguments.factors,
      &p->arguments.u,        &p->arguments.v,      &p->arguments.scratch,
  };
  bp_cu_result result = 0;
  if (!p->code)
    return bp_cu.MemcpyDtoDAsync(p->to.data, p->from.data, (size_t)p->doubles * sizeof(double),
                                 stream);
  for (int n = 0; n < p->base.choice.variant->launches_count && !result; ++n) {
    const bp_cuda_shape *s = &p->shapes[n];
    result = bp_cu.LaunchKernel(p->functions[n], (unsigned)s->blocks, 1, 1, (unsigned)s->threads[0],
                                (unsigned)s->threads[1], (unsigned)s->threads[2],
                                (unsigned)s->shared, stream, arguments, NULL);
  }
  return result;
}

bp_status bp_cuda_plan_apply(bp_plan *plan)
{
  bp_cuda_plan *p = (bp_cuda_plan *)plan;
  bp_status status = bp_cuda_plan_ready(p);
  if (status)
    return status;
  bp_cu_result result = bp_cuda_plan_issue(p);
  return result ? bp_cuda_failed(device_of(p), result, name_of(p))
                : bp_cuda_finish(device_of(p), name_of(p));
}

/* ---- graphs ---- */

/* `repetitions` applications as one graph, made anew when their number changes. */
static bp_cu_result make_graph(bp_cuda_plan *p, int64_t repetitions)
{
  bp_cu_stream stream = device_of(p)->stream;
  bp_cu_graph graph = NULL;
  if (p->graph && p->graph_repetitions == repetitions)
    return 0;
  if (p->graph)
    bp_cu.GraphExecDestroy(p->graph);
  p->graph = NULL;
  bp_cu_result result = bp_cu.StreamBeginCapture(stream, BP_CU_CAPTURE_THREAD_LOCAL), ended;
  if (result)
    return result;
  for (int64_t n = 0; n < repetitions && !result; ++n)
    result = bp_cuda_plan_issue(p);
  ended = bp_cu.StreamEndCapture(stream, &graph);
  result = result ? result : ended;
  if (!result)
    result = bp_cu.GraphInstantiate(&p->graph, graph, 0);
  if (!result)
    result = bp_cu.GraphUpload(p->graph, stream);
  if (graph)
    bp_cu.GraphDestroy(graph);
  p->graph_repetitions = repetitions;
  return result;
}

/* Whole graphs only, so it may be some more than asked for: *issued tells. */
static bp_cu_result issue_graphs(bp_cuda_plan *p, int64_t repetitions, int64_t *issued)
{
  bp_cu_result result = 0;
  for (*issued = 0; *issued < repetitions && !result; *issued += p->graph_repetitions)
    result = bp_cu.GraphLaunch(p->graph, device_of(p)->stream);
  return result;
}

static bp_cu_result issue_launches(bp_cuda_plan *p, int64_t repetitions, int64_t *issued)
{
  bp_cu_result result = 0;
  for (*issued = 0; *issued < repetitions && !result; ++*issued)
    result = bp_cuda_plan_issue(p);
  return result;
}

/* ---- a cold cache ---- */

/* Reading pushes everything else out and, unlike writing, leaves nothing that has to be written
 * back while the next kernel is being timed. */
static bp_status issue_flush(bp_cuda_device *d)
{
  if (!d->flush) {
    const bp_variant *variant = bp_variant_find("machine/gpu-flush");
    BP_ASSERT(variant);
    bp_choice choice = bp_choice_standard(variant);
    bp_cuda_plan *flush = NULL;
    int64_t doubles = FLUSH_TIMES_L2 * d->info.l2_bytes / (int64_t)sizeof(double);
    bp_status status = bp_cuda_machine_plan(d, &choice, doubles / 2, doubles, &flush);
    if (status || !flush)
      return status ? status : BP_ENVIRONMENT;
    d->flush = &flush->base;
  }
  bp_cuda_plan *p = (bp_cuda_plan *)d->flush;
  bp_status status = bp_cuda_plan_ready(p);
  if (status)
    return status;
  bp_cu_result result = bp_cuda_plan_issue(p);
  return result ? bp_cuda_failed(d, result, "flushing the cache") : BP_OK;
}

bp_status bp_cuda_plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds)
{
  bp_cuda_plan *p = (bp_cuda_plan *)plan;
  bp_cuda_device *d = device_of(p);
  int64_t issued = 0;
  float milliseconds = 0;
  bp_cu_result result = 0;
  bp_status status = bp_cuda_plan_ready(p);
  if (!status && d->graph)
    result = make_graph(p, repetitions < GRAPH_LAUNCHES ? repetitions : GRAPH_LAUNCHES);
  if (!status && !result && cold)
    status = issue_flush(d);
  if (status)
    return status;
  if (!result)
    result = bp_cu.EventRecord(d->start, d->stream);
  if (!result)
    result =
        d->graph ? issue_graphs(p, repetitions, &issued) : issue_launches(p, repetitions, &issued);
  if (!result)
    result = bp_cu.EventRecord(d->stop, d->stream);
  if (result)
    return bp_cuda_failed(d, result, name_of(p));
  status = bp_cuda_finish(d, name_of(p));
  if (status)
    return status;
  result = bp_cu.EventElapsedTime(&milliseconds, d->start, d->stop);
  *seconds = 1e-3 * (double)milliseconds / (double)issued;
  return result ? bp_cuda_failed(d, result, name_of(p)) : BP_OK;
}
