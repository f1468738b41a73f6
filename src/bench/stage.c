/* stage.c -- setting up a case, and taking it down. */
#include "bench/stage.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/reference.h"
#include "measure/verify.h"

static bp_status make_mesh(const bp_cases *cases, const bp_case *c, bp_stage *s)
{
  bp_status status = BP_OK;
  if (c->box[0]) {
    status = bp_mesh_box(c->box[0], c->box[1], c->box[2], cases->config->warp, &s->box);
    if (status)
      return status;
    bp_free(s->box->name);
    s->box->name = bp_case_mesh_name(cases, c);
  }
  s->mesh = c->box[0] ? s->box : cases->mesh;
  return status;
}

static bp_status check_memory(const bp_cases *cases, const bp_case *c)
{
  int64_t needed = bp_case_bytes(c, cases->device->backend->language);
  int64_t available = bp_memory_available();
  char a[32], b[32];
  if (needed <= available)
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT, "%s N=%d on %lld elements needs %s of memory; %s are available",
                 c->op->name, c->space.degree, (long long)c->elements,
                 bp_print_bytes(a, (double)needed), bp_print_bytes(b, (double)available));
}

bp_status bp_stage_create(const bp_cases *cases, const bp_case *c, bp_stage *stage)
{
  const bp_config *config = cases->config;
  bp_stage *s = stage;
  *s = (bp_stage){0};
  bp_status status = check_memory(cases, c);
  if (!status)
    status = make_mesh(cases, c, s);
  if (!status)
    status = bp_problem_create(c->op, c->space, config->lambda, s->mesh, &s->problem);
  if (status)
    return status;
  size_t dofs = (size_t)bp_problem_dofs(s->problem);
  s->u = bp_alloc_array(dofs, sizeof *s->u);
  s->v = bp_alloc_array(dofs, sizeof *s->v);
  s->reference = bp_alloc_array(dofs, sizeof *s->reference);
  bp_fill(0, (uint64_t)config->seed, s->problem, s->u);
  bp_reference_apply(s->problem, 0, s->problem->elements, s->u, s->reference);
  status = bp_workspace_create(cases->device, s->problem, false, &s->workspace);
  return status ? status : bp_workspace_write(s->workspace, s->u);
}

void bp_stage_destroy(bp_stage *stage)
{
  bp_workspace_destroy(stage->workspace);
  bp_problem_destroy(stage->problem);
  bp_mesh_destroy(stage->box);
  bp_free(stage->u);
  bp_free(stage->v);
  bp_free(stage->reference);
  *stage = (bp_stage){0};
}
