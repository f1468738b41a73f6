/* wave_device.c -- the operands of a run, and what comes back. */
#include "solve/wave_device.h"

#include "base/memory.h"
#include <string.h>

static int64_t count_of(const bp_wave_device *d)
{
  return d->wave->system->unknowns->count;
}

static void give(bp_wave_device *d)
{
  bp_workspace *w = d->scheme->workspace;
  bp_workspace_give(w, BP_OPERAND_f_before, d->before);
  bp_workspace_give(w, BP_OPERAND_inverse_mass, d->inverse_mass);
  bp_workspace_give(w, BP_OPERAND_signals, d->signals);
  bp_workspace_give(w, BP_OPERAND_point_elements, d->wave->points.elements);
  bp_workspace_give(w, BP_OPERAND_point_weights, d->wave->points.weights);
  bp_workspace_give(w, BP_OPERAND_steps, &d->steps);
}

bp_status bp_wave_device_create(bp_device *device, const bp_wave *wave, const double *now,
                                const double *before, bool guarded, bp_wave_device **made)
{
  bp_wave_device *d = bp_alloc(1, sizeof *d);
  const int64_t count = wave->system->unknowns->count;
  d->wave = wave;
  *made = NULL;
  d->now = bp_alloc((size_t)count, sizeof *d->now);
  memcpy(d->now, now, (size_t)count * sizeof *now);
  bp_status status = bp_scheme_create(device, wave->system, d->now, guarded, &d->scheme);
  if (status) {
    bp_free(d->now);
    bp_free(d);
    return status;
  }
  const size_t stride = (size_t)d->scheme->stride;
  d->before = bp_alloc(stride, sizeof *d->before);
  d->inverse_mass = bp_alloc(stride, sizeof *d->inverse_mass);
  d->x = bp_alloc(stride, sizeof *d->x);
  const size_t steps = (size_t)wave->system->problem->iterations;
  d->signals = bp_alloc(BP_WAVE_SOURCES_MAX * steps, sizeof *d->signals);
  d->traces = bp_alloc(BP_WAVE_RECEIVERS_MAX * steps, sizeof *d->traces);
  memcpy(d->before, before, (size_t)count * sizeof *before);
  for (int64_t n = 0; n < count; ++n)
    d->inverse_mass[n] = wave->mass[n] > 0 ? wave->dt * wave->dt / wave->mass[n] : 0;
  give(d);
  *made = d;
  return BP_OK;
}

void bp_wave_device_destroy(bp_wave_device *device)
{
  if (!device)
    return;
  bp_scheme_destroy(device->scheme);
  bp_free(device->now);
  bp_free(device->before);
  bp_free(device->inverse_mass);
  bp_free(device->x);
  bp_free(device->signals);
  bp_free(device->traces);
  bp_free(device);
}

bp_status bp_wave_device_plan(bp_wave_device *device, const bp_choice *choice, int steps,
                              bp_plan **plan)
{
  const bp_wave_points *points = &device->wave->points;
  bp_status status = bp_plan_create(device->scheme->workspace, choice, plan);
  if (status)
    return status;
  if (points->sources == 0)
    bp_plan_leave_out(*plan, "sources");
  if (points->sources + points->receivers == 0)
    bp_plan_leave_out(*plan, "points");
  (*plan)->iterations = device->steps = steps;
  return bp_workspace_update(device->scheme->workspace, BP_OPERAND_steps);
}

bp_status bp_wave_device_set(bp_wave_device *device, const double *now, const double *before)
{
  const size_t bytes = (size_t)count_of(device) * sizeof *now;
  memcpy(device->now, now, bytes);
  memcpy(device->before, before, bytes);
  bp_status status = bp_workspace_update(device->scheme->workspace, BP_OPERAND_f);
  return status ? status : bp_workspace_update(device->scheme->workspace, BP_OPERAND_f_before);
}

bp_status bp_wave_device_signal(bp_wave_device *device, const double *signals, int steps)
{
  const bp_wave_points *p = &device->wave->points;
  for (int s = 0; s < BP_WAVE_SOURCES_MAX && p->elements[s] >= 0; ++s)
    for (int k = 0; k < steps; ++k)
      device->signals[k * BP_WAVE_SOURCES_MAX + s] = signals[p->number[s] * steps + k];
  return bp_workspace_update(device->scheme->workspace, BP_OPERAND_signals);
}

static bp_status read_vector(bp_wave_device *d, int operand, double *to)
{
  bp_status status = bp_workspace_read_operand(d->scheme->workspace, operand, d->x);
  if (!status)
    memcpy(to, d->x, (size_t)count_of(d) * sizeof *to);
  return status;
}

/* Each rank has those of its receivers. */
static bp_status share_traces(bp_comm *comm, int64_t count, double *traces)
{
  bp_status status = BP_OK;
  for (int64_t n = 0; n < count && comm->size > 1 && !status; n += BP_COMM_VALUES_MAX)
    status = bp_comm_sum(comm, traces + n,
                         (int)(count - n < BP_COMM_VALUES_MAX ? count - n : BP_COMM_VALUES_MAX));
  return status;
}

static bp_status read_traces(bp_wave_device *d, int steps, double *traces)
{
  const bp_wave_points *p = &d->wave->points;
  const int32_t *here = p->elements + BP_WAVE_SOURCES_MAX;
  const int *number = p->number + BP_WAVE_SOURCES_MAX;
  const size_t each = (size_t)steps;
  bp_status status = bp_workspace_read_operand(d->scheme->workspace, BP_OPERAND_traces, d->traces);
  memset(traces, 0, (size_t)p->receivers * each * sizeof *traces);
  for (int r = 0; r < BP_WAVE_RECEIVERS_MAX && here[r] >= 0 && !status; ++r)
    for (size_t k = 0; k < each; ++k)
      traces[(size_t)number[r] * each + k] = d->traces[k * BP_WAVE_RECEIVERS_MAX + (size_t)r];
  status = bp_comm_agree(d->wave->system->comm, status);
  return status ? status
                : share_traces(d->wave->system->comm, (int64_t)p->receivers * steps, traces);
}

bp_status bp_wave_device_run(bp_wave_device *device, bp_plan *plan, double *now, double *before,
                             double *traces)
{
  bp_workspace *w = device->scheme->workspace;
  bp_comm *comm = device->wave->system->comm;
  BP_ASSERT(plan->iterations >= 1 && plan->iterations <= device->wave->system->problem->iterations);
  device->steps = plan->iterations;
  bp_status status = bp_workspace_update(w, BP_OPERAND_steps);
  if (!status)
    status = bp_workspace_poison(w);
  status = bp_comm_agree(comm, status);
  if (!status)
    status = bp_plan_apply(plan);
  if (status)
    return status;
  status = bp_workspace_guards(w);
  if (!status)
    status = read_vector(device, BP_OPERAND_x, now);
  if (!status)
    status = read_vector(device, BP_OPERAND_x_before, before);
  status = bp_comm_agree(comm, status);
  return status || !traces ? status : read_traces(device, plan->iterations, traces);
}
