/* applied.c -- u, v and the reference. */
#include "work/applied.h"

#include "base/clock.h"
#include "base/memory.h"
#include "fem/reference.h"
#include "measure/verify.h"
#include <math.h>

/* ---- the model ---- */

int64_t bp_applied_bytes(const bp_case *c, const bp_choice *choice, const bp_device *device)
{
  (void)choice, (void)device;
  return bp_operator_bytes(c->op, c->space) * c->elements;
}

int64_t bp_applied_flops(const bp_case *c)
{
  return bp_operator_flops(c->op, c->space) * c->elements;
}

int64_t bp_applied_vectors(const bp_case *c, bool on_device)
{
  enum { HOST = 3 };
  const int64_t numbers = bp_case_nodes(c) + bp_operator_inputs(c->op, c->space) * c->elements;
  return (int64_t)sizeof(double) * numbers * (on_device ? 1 : HOST);
}

/* ---- a stage ---- */

static bp_status read_u(bp_stage *s)
{
  const char *path = s->options.u;
  int64_t shape[BP_NPY_RANK_MAX];
  const int rank = s->c->kind->shape(s, false, shape);
  bp_status status = bp_npy_read(path, rank, shape, &s->u);
  for (int64_t n = 0; !status && n < bp_problem_dofs(s->problem); ++n)
    if (!isfinite(s->u[n]))
      status = bp_fail(BP_BAD_INPUT, "%s: expected finite numbers, found %g at index %lld", path,
                       s->u[n], (long long)n);
  return status;
}

/* A u of one's own may cancel, so errors are relative to |A||u|. */
static bp_status make_u(bp_stage *s)
{
  if (!s->options.u) {
    s->u = bp_alloc_array((size_t)bp_problem_dofs(s->problem), sizeof *s->u);
    bp_fill(0, (uint64_t)s->config->seed, s->problem, s->u);
    return BP_OK;
  }
  bp_status status = read_u(s);
  if (status)
    return status;
  s->scale = bp_alloc_array((size_t)bp_problem_outputs(s->problem), sizeof *s->scale);
  bp_reference_magnitude(s->problem, 0, s->problem->elements, s->u, s->scale);
  return BP_OK;
}

bp_status bp_applied_begin(bp_stage *s)
{
  const size_t outputs = (size_t)bp_problem_outputs(s->problem);
  double begin = bp_clock();
  bp_status status = make_u(s);
  if (status)
    return status;
  if (s->options.v) {
    int64_t shape[BP_NPY_RANK_MAX];
    const int rank = s->c->kind->shape(s, true, shape);
    status = bp_npy_read(s->options.v, rank, shape, &s->v);
  } else {
    s->v = bp_alloc_array(outputs, sizeof *s->v);
  }
  if (status)
    return status;
  s->reference = bp_alloc_array(outputs, sizeof *s->reference);
  bp_reference_apply(s->problem, 0, s->problem->elements, s->u, s->reference);
  s->load_seconds = bp_clock_lap(&begin);
  if (s->options.literal)
    return BP_OK;
  status = bp_workspace_create(s->device, s->problem, s->options.guarded, &s->workspace);
  if (!status)
    status = bp_workspace_write(s->workspace, s->u);
  s->device_seconds = bp_clock_lap(&begin);
  return status;
}

bp_status bp_applied_create(bp_stage *s)
{
  const bp_case *c = s->c;
  bp_problem_random(c->op, c->space, c->lambda, c->elements, (uint64_t)s->config->seed,
                    &s->problem);
  return bp_applied_begin(s);
}

bp_status bp_applied_plan(bp_stage *stage, const bp_choice *choice, int iterations, bp_plan **plan)
{
  (void)iterations;
  return bp_plan_create(stage->workspace, choice, plan);
}

bp_status bp_applied_judge(bp_stage *s, bp_plan *plan, bp_stage_outcome *outcome)
{
  *outcome = bp_stage_unknown;
  outcome->tolerance = bp_reference_tolerance(s->problem);
  bp_status status = bp_verify_to_scale(plan, s->reference, s->scale, s->v, &outcome->error);
  outcome->error = bp_comm_largest(s->comm, outcome->error);
  return bp_comm_agree(s->comm, status);
}

bp_status bp_applied_compare(bp_stage *s, bp_stage_outcome *outcome)
{
  *outcome = bp_stage_unknown;
  outcome->tolerance = bp_reference_tolerance(s->problem);
  return bp_verify_values(s->problem, s->reference, s->scale, s->v, &outcome->error);
}

static bp_status write_one(const bp_stage *s, bool is_output, const bp_files *to)
{
  int64_t shape[BP_NPY_RANK_MAX];
  const int rank = s->c->kind->shape(s, is_output, shape);
  return to->write(to->context, is_output ? "v" : "u", BP_NPY_FLOAT64, rank, shape,
                   is_output ? s->v : s->u);
}

bp_status bp_applied_files(bp_stage *s, const bp_files *to)
{
  bp_status status = write_one(s, false, to);
  return status ? status : write_one(s, true, to);
}
