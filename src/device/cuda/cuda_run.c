/* cuda_run.c -- applying and timing plans, with a hot or a cold cache. */
#include "device/cuda/cuda_plan.h"

enum { FLUSH_TIMES_L2 = 3 };

static bp_cuda_device *device_of(const bp_cuda_plan *p)
{
  return (bp_cuda_device *)p->base.device;
}

static bp_status run(bp_cuda_plan *p, const bp_cuda_run *what, double *seconds)
{
  bp_cuda_device *d = device_of(p);
  const char *name = p->base.choice.variant ? p->base.choice.variant->id : "the driver's copy";
  return bp_cuda_outcome(d, d->calls->run(d->context, what, seconds), name);
}

bp_status bp_cuda_plan_apply(bp_plan *plan)
{
  bp_cuda_plan *p = (bp_cuda_plan *)plan;
  bp_status status = bp_cuda_plan_ready(p);
  const bp_cuda_run once = {.work = p->work, .repetitions = 1};
  return status ? status : run(p, &once, NULL);
}

/* Reading pushes everything else out and, unlike writing, leaves nothing that has to be written back
 * while the next kernel is being timed. */
static bp_status prepare_flush(bp_cuda_device *d, bp_cuda_work *work)
{
  if (!d->flush) {
    const bp_variant *variant = bp_variant_find("peaks/gpu-flush", BP_LANGUAGE_CUDA);
    BP_ASSERT(variant);
    bp_choice choice = bp_choice_standard(variant);
    bp_cuda_plan *made = NULL;
    int64_t doubles = FLUSH_TIMES_L2 * d->info.l2_bytes / (int64_t)sizeof(double);
    bp_status status = bp_cuda_machine_plan(d, &choice, doubles / 2, doubles, &made);
    if (status || !made)
      return status ? status : BP_ENVIRONMENT;
    d->flush = &made->base;
  }
  bp_cuda_plan *flush = (bp_cuda_plan *)d->flush;
  bp_status status = bp_cuda_plan_ready(flush);
  *work = flush->work;
  return status;
}

bp_status bp_cuda_plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds)
{
  bp_cuda_plan *p = (bp_cuda_plan *)plan;
  bp_cuda_run timed = {.repetitions = repetitions, .timed = true, .has_before = cold};
  bp_status status = bp_cuda_plan_ready(p);
  if (!status && cold)
    status = prepare_flush(device_of(p), &timed.before);
  timed.work = p->work;
  timed.graph = device_of(p)->graph;
  return status ? status : run(p, &timed, seconds);
}
