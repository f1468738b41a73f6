/* cuda_workspace.c -- uploading a problem, poisoning, reading back, looking at the guards. */
#include "device/cuda/cuda_workspace.h"

#include "base/clock.h"
#include "base/memory.h"
#include "device/cuda/cuda_plan.h"
#include <string.h>

static bp_cuda_device *device_of(const bp_cuda_workspace *w)
{
  return (bp_cuda_device *)w->base.device;
}

/* Forgets what a lost context held, or frees what this one holds. */
static void drop_arrays(bp_cuda_workspace *w)
{
  bp_cuda_array *const arrays[] = {&w->I, &w->D, &w->u, &w->v};
  bool is_there = device_of(w)->context && w->generation == device_of(w)->generation;
  for (size_t n = 0; n < sizeof arrays / sizeof *arrays; ++n) {
    if (is_there)
      bp_cuda_array_destroy(device_of(w), arrays[n]);
    *arrays[n] = (bp_cuda_array){0};
  }
  for (int n = 0; n < w->layouts_count && is_there; ++n)
    bp_cuda_array_destroy(device_of(w), &w->layouts[n].factors);
  w->layouts_count = 0;
}

static bp_status upload(bp_cuda_workspace *w, const char *name, int64_t count, const double *values,
                        bp_cuda_array *array)
{
  bp_status status = bp_cuda_array_create(device_of(w), name, count, w->guarded, array);
  return status || !values ? status : bp_cuda_array_write(device_of(w), array, values);
}

static bp_status create_arrays(bp_cuda_workspace *w)
{
  const bp_problem *problem = w->base.problem;
  const bp_basis *b = &problem->basis;
  int64_t dofs = bp_problem_dofs(problem);
  bp_status status = upload(w, "I", (int64_t)b->nc * b->nq, b->I, &w->I);
  if (!status)
    status = upload(w, "D", (int64_t)b->nc * b->nc, b->D, &w->D);
  if (!status)
    status = upload(w, "u", dofs, w->host_u, &w->u);
  if (!status)
    status = upload(w, "v", dofs, NULL, &w->v);
  return status;
}

bp_status bp_cuda_workspace_ready(bp_cuda_workspace *workspace)
{
  bp_cuda_device *d = device_of(workspace);
  bp_status status = bp_cuda_enter(d);
  if (status || workspace->generation == d->generation)
    return status;
  drop_arrays(workspace);
  workspace->generation = d->generation;
  return create_arrays(workspace);
}

bp_status bp_cuda_workspace_create(bp_device *device, const bp_problem *problem, bool guarded,
                                   bp_workspace **workspace)
{
  bp_cuda_workspace *w = bp_alloc(1, sizeof *w);
  w->base = (bp_workspace){.device = device, .problem = problem};
  w->guarded = guarded;
  w->generation = ((bp_cuda_device *)device)->generation;
  bp_status status = bp_cuda_enter((bp_cuda_device *)device);
  if (!status)
    status = create_arrays(w);
  if (status && bp_cuda_revive((bp_cuda_device *)device))
    status = bp_cuda_workspace_ready(w);
  if (status)
    bp_cuda_workspace_destroy(&w->base);
  else
    *workspace = &w->base;
  return status;
}

void bp_cuda_workspace_destroy(bp_workspace *workspace)
{
  bp_cuda_workspace *w = (bp_cuda_workspace *)workspace;
  drop_arrays(w);
  bp_free(w->host_u);
  bp_free(w);
}

bp_status bp_cuda_workspace_write(bp_workspace *workspace, const double *u)
{
  bp_cuda_workspace *w = (bp_cuda_workspace *)workspace;
  int64_t dofs = bp_problem_dofs(workspace->problem);
  bp_status status = bp_cuda_workspace_ready(w);
  if (status)
    return status;
  if (!w->host_u)
    w->host_u = bp_alloc_array((size_t)dofs, sizeof *w->host_u);
  memcpy(w->host_u, u, (size_t)dofs * sizeof *u);
  return bp_cuda_array_write(device_of(w), &w->u, w->host_u);
}

bp_status bp_cuda_workspace_poison(bp_workspace *workspace)
{
  bp_cuda_workspace *w = (bp_cuda_workspace *)workspace;
  bp_status status = bp_cuda_workspace_ready(w);
  if (!status)
    status = bp_cuda_array_poison(device_of(w), &w->v);
  for (bp_cuda_plan *p = w->plans; p && !status; p = p->next)
    if (p->generation == w->generation)
      status = bp_cuda_array_poison(device_of(w), &p->scratch);
  return status;
}

bp_status bp_cuda_workspace_read(bp_workspace *workspace, double *v)
{
  bp_cuda_workspace *w = (bp_cuda_workspace *)workspace;
  bp_status status = bp_cuda_workspace_ready(w);
  return status ? status : bp_cuda_array_read(device_of(w), &w->v, v);
}

/* The input must be what it was. */
static bp_status check_input(const bp_cuda_workspace *w)
{
  bp_status status = BP_OK;
  double *u = bp_alloc_array((size_t)w->u.count, sizeof *u);
  status = bp_cuda_array_read(device_of(w), &w->u, u);
  for (int64_t n = 0; n < w->u.count && !status; ++n)
    if (memcmp(&u[n], &w->host_u[n], sizeof *u) != 0)
      status = bp_fail(BP_WRONG, "wrote to u, at index %lld of %lld", (long long)n,
                       (long long)w->u.count);
  if (status == BP_WRONG)
    bp_cuda_array_write(device_of(w), (bp_cuda_array *)&w->u, w->host_u);
  bp_free(u);
  return status;
}

bp_status bp_cuda_workspace_guards(bp_workspace *workspace)
{
  bp_cuda_workspace *w = (bp_cuda_workspace *)workspace;
  bp_cuda_device *d = device_of(w);
  bp_cuda_array *const arrays[] = {&w->I, &w->D, &w->u, &w->v};
  bp_status status = bp_cuda_workspace_ready(w);
  for (size_t n = 0; n < sizeof arrays / sizeof *arrays && !status; ++n)
    status = bp_cuda_array_check(d, arrays[n]);
  for (int n = 0; n < w->layouts_count && !status; ++n)
    status = bp_cuda_array_check(d, &w->layouts[n].factors);
  for (bp_cuda_plan *p = w->plans; p && !status; p = p->next)
    if (p->generation == w->generation)
      status = bp_cuda_array_check(d, &p->scratch);
  if (!status && w->guarded && w->host_u)
    status = check_input(w);
  return status;
}

bp_status bp_cuda_workspace_factors(bp_cuda_workspace *workspace, const bp_layout *layout,
                                    bp_plan_details *details, bp_cu_pointer *factors)
{
  bp_cuda_workspace *w = workspace;
  for (int n = 0; n < w->layouts_count; ++n)
    if (bp_layout_is_same(&w->layouts[n].layout, layout)) {
      *factors = w->layouts[n].factors.data;
      return BP_OK;
    }
  BP_ASSERT(w->layouts_count < BP_CUDA_LAYOUTS_MAX);
  int64_t count = bp_layout_count(layout, w->base.problem);
  double start = bp_clock();
  double *ordered = bp_alloc_array((size_t)count, sizeof *ordered);
  bp_layout_fill(layout, w->base.problem, ordered);
  details->setup_seconds = bp_clock() - start;
  start = bp_clock();
  int n = w->layouts_count;
  w->layouts[n].layout = *layout;
  bp_status status = upload(w, "the factors", count, ordered, &w->layouts[n].factors);
  details->upload_seconds = bp_clock() - start;
  bp_free(ordered);
  if (status) {
    bp_cuda_array_destroy(device_of(w), &w->layouts[n].factors);
    return status;
  }
  *factors = w->layouts[w->layouts_count++].factors.data;
  return BP_OK;
}
