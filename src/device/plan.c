/* plan.c -- passes the calls of plan.h on to the backend. */
#include "device/plan.h"

#include <string.h>

static const bp_backend *const backends[] = {&bp_backend_cpu, &bp_backend_cuda,
                                             &bp_backend_emulate};

const bp_backend *bp_backend_find(const char *name)
{
  for (size_t n = 0; n < sizeof backends / sizeof *backends; ++n)
    if (strcmp(backends[n]->name, name) == 0)
      return backends[n];
  return NULL;
}

bp_status bp_device_create(const bp_backend *backend, const bp_device_options *options,
                           bp_device **device)
{
  *device = NULL;
  return backend->device_create(options, device);
}

void bp_device_destroy(bp_device *device)
{
  if (device)
    device->backend->device_destroy(device);
}

bp_status bp_workspace_create(bp_device *device, const bp_problem *problem, bool guarded,
                              bp_workspace **workspace)
{
  *workspace = NULL;
  return device->backend->workspace_create(device, problem, guarded, workspace);
}

void bp_workspace_destroy(bp_workspace *workspace)
{
  if (workspace)
    workspace->device->backend->workspace_destroy(workspace);
}

bp_status bp_workspace_write(bp_workspace *workspace, const double *u)
{
  return workspace->device->backend->workspace_write(workspace, u);
}

bp_status bp_workspace_poison(bp_workspace *workspace)
{
  return workspace->device->backend->workspace_poison(workspace);
}

bp_status bp_workspace_read(bp_workspace *workspace, double *v)
{
  return workspace->device->backend->workspace_read(workspace, v);
}

bp_status bp_workspace_guards(bp_workspace *workspace)
{
  return workspace->device->backend->workspace_guards(workspace);
}

bp_status bp_plan_create(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan)
{
  const bp_variant *variant = choice->variant;
  int degree = workspace->problem->basis.degree;
  *plan = NULL;
  BP_ASSERT(strcmp(variant->problem, workspace->problem->op->name) == 0);
  BP_ASSERT(variant->language == workspace->device->backend->language);
  if (degree < variant->lowest || degree > variant->highest) {
    bp_fail(BP_OK, "made for N = %d..%d", variant->lowest, variant->highest);
    return BP_OK;
  }
  return workspace->device->backend->plan_create(workspace, choice, plan);
}

bp_status bp_copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan)
{
  *plan = NULL;
  return device->backend->copy_create(device, bytes, cold, plan);
}

bp_status bp_peak_create(bp_device *device, const bp_choice *choice, bp_plan **plan)
{
  *plan = NULL;
  return device->backend->peak_create(device, choice, plan);
}

void bp_plan_destroy(bp_plan *plan)
{
  if (plan)
    plan->device->backend->plan_destroy(plan);
}

bp_status bp_plan_apply(bp_plan *plan)
{
  return plan->device->backend->plan_apply(plan);
}

bp_status bp_plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds)
{
  return plan->device->backend->plan_time(plan, repetitions, cold, seconds);
}
