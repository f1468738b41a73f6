/* stage.c -- setting up a case, and taking it down. */
#include "bench/stage.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/reference.h"
#include "measure/verify.h"
#include "solve/load.h"
#include "solve/outcome.h"
#include <float.h>
#include <math.h>
#include <string.h>

static bp_status make_mesh(const bp_cases *cases, const bp_case *c, bp_stage *s)
{
  if (!bp_case_has_mesh(c) || s->comm->rank > 0)
    return BP_OK;
  bp_status status = c->box[0] ? bp_case_box(cases, c, &s->box) : BP_OK;
  s->mesh = c->box[0] ? s->box : cases->mesh;
  return status;
}

static bp_status check_memory(const bp_cases *cases, const bp_case *c)
{
  int64_t needed = bp_case_bytes(cases, c) / cases->comm->size * bp_comm_local_size(cases->comm);
  int64_t available = bp_memory_available();
  char a[32], b[32];
  if (needed <= available)
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT, "%s N=%d on %lld elements needs %s of memory; %s are available",
                 bp_case_problem(c), bp_operator_degree(c->op, c->space), (long long)c->elements,
                 bp_print_bytes(a, (double)needed), bp_print_bytes(b, (double)available));
}

static bp_partition_kind partition_of(const bp_cases *cases)
{
  return bp_partition_find(cases->config->partition);
}

/* A rank's elements of a mesh that rank 0 has. */
static bp_status cut(const bp_cases *cases, bp_stage *s)
{
  int32_t *rank_of = NULL;
  uint8_t *marks = NULL;
  bp_status status = BP_OK;
  if (s->comm->rank == 0) {
    rank_of = bp_alloc_array((size_t)s->mesh->elements, sizeof *rank_of);
    marks = bp_alloc((size_t)s->mesh->elements, sizeof *marks);
    status = bp_partition(partition_of(cases), s->mesh, s->comm->size, rank_of);
  }
  status = bp_comm_agree(s->comm, status);
  if (!status)
    status = bp_piece_distribute(s->comm, s->mesh, rank_of, marks, &s->piece);
  bp_free(rank_of);
  bp_free(marks);
  return status;
}

static bp_status make_problem(const bp_cases *cases, const bp_case *c, bp_stage *s)
{
  uint64_t seed = (uint64_t)cases->config->seed;
  if (bp_case_has_mesh(c) && s->comm->size > 1) {
    bp_status status = cut(cases, s);
    return status ? status
                  : bp_problem_create(c->op, c->space, c->lambda, s->piece->mesh, &s->problem);
  }
  if (s->mesh)
    return bp_problem_create(c->op, c->space, c->lambda, s->mesh, &s->problem);
  if (bp_case_cells(cases, c))
    return bp_problem_on_cells(c->op, c->space, bp_case_cells(cases, c), &s->problem);
  bp_problem_random(c->op, c->space, c->lambda, c->elements, seed, &s->problem);
  return BP_OK;
}

static bp_status make_operator(const bp_cases *cases, const bp_case *c, bp_stage *s)
{
  bp_status status = make_problem(cases, c, s);
  if (status)
    return status;
  size_t outputs = (size_t)bp_problem_outputs(s->problem);
  s->u = bp_alloc_array((size_t)bp_problem_dofs(s->problem), sizeof *s->u);
  s->v = bp_alloc_array(outputs, sizeof *s->v);
  s->reference = bp_alloc_array(outputs, sizeof *s->reference);
  bp_fill(0, (uint64_t)cases->config->seed, s->problem, s->u);
  bp_reference_apply(s->problem, 0, s->problem->elements, s->u, s->reference);
  status = bp_workspace_create(cases->device, s->problem, false, &s->workspace);
  return status ? status : bp_workspace_write(s->workspace, s->u);
}

/* A standing wave, as it is at the beginning and one step before. */
static bp_status make_wave(const bp_cases *cases, const bp_case *c, bp_stage *s)
{
  const double part_of_largest_step = 0.9;
  bp_wave_create(s->system, part_of_largest_step, &s->wave);
  s->before = bp_alloc_array((size_t)bp_system_size(s->system), sizeof *s->before);
  s->last = bp_alloc_array((size_t)bp_system_size(s->system), sizeof *s->last);
  bp_wave_standing(s->wave, 0, s->u);
  bp_wave_standing(s->wave, -s->wave->dt, s->before);
  s->energy = bp_wave_energy(s->wave, s->u, s->before);
  s->norm = bp_wave_norm(s->wave, s->u);
  s->has_solution = c->box[0];
  bp_status status =
      bp_wave_device_create(cases->device, s->wave, s->u, s->before, false, &s->wave_device);
  if (!status)
    s->workspace = s->wave_device->scheme->workspace;
  return status;
}

int bp_stage_iterations(const bp_config *config)
{
  enum { TO_TOLERANCE = 10000 };
  bool is_limit = config->tolerance > 0 && !bp_config_where(config, "iterations");
  return is_limit ? TO_TOLERANCE : (int)config->iterations;
}

static bp_status make_solve(const bp_cases *cases, const bp_case *c, bp_stage *s)
{
  const bp_system_options options = {.row = c->solve,
                                     .space = c->space,
                                     .lambda = c->lambda,
                                     .iterations = bp_stage_iterations(cases->config)};
  bp_status status =
      s->comm->size > 1
          ? bp_system_distribute(options, cases->config->fixed, s->mesh, partition_of(cases),
                                 s->comm, &s->system)
          : bp_system_create_fixed(options, cases->config->fixed, s->mesh, &s->system);
  if (status)
    return status;
  size_t size = (size_t)bp_system_size(s->system);
  s->problem = s->system->problem;
  s->u = bp_alloc_array(size, sizeof *s->u);
  s->v = bp_alloc_array(size, sizeof *s->v);
  if (bp_bake_off_is_wave(c->solve))
    return make_wave(cases, c, s);
  s->has_solution = bp_load_has_solution(cases->config->rhs);
  status = bp_load_named(s->system, cases->config->rhs, s->v);
  if (!status)
    status = bp_scheme_create(cases->device, s->system, s->v, false, &s->scheme);
  if (!status)
    s->workspace = s->scheme->workspace;
  return status;
}

bp_status bp_stage_create(const bp_cases *cases, const bp_case *c, bp_stage *stage)
{
  *stage = (bp_stage){.comm = cases->comm};
  bp_status status = check_memory(cases, c);
  if (!status)
    status = make_mesh(cases, c, stage);
  status = bp_comm_agree(cases->comm, status);
  if (status)
    return status;
  return bp_comm_agree(cases->comm,
                       c->solve ? make_solve(cases, c, stage) : make_operator(cases, c, stage));
}

void bp_stage_destroy(bp_stage *stage)
{
  if (stage->system) {
    bp_scheme_destroy(stage->scheme);
    bp_wave_device_destroy(stage->wave_device);
    bp_wave_destroy(stage->wave);
    bp_system_destroy(stage->system);
  } else {
    bp_workspace_destroy(stage->workspace);
    bp_problem_destroy(stage->problem);
  }
  bp_piece_destroy(stage->piece);
  bp_mesh_destroy(stage->box);
  bp_free(stage->u);
  bp_free(stage->v);
  bp_free(stage->reference);
  bp_free(stage->before);
  bp_free(stage->last);
  *stage = (bp_stage){0};
}

/* ---- solves ---- */

static double *residuals_of(const bp_stage *s)
{
  return bp_alloc((size_t)s->problem->iterations + 1, sizeof(double));
}

bp_status bp_stage_find_iterations(bp_stage *stage, bp_plan *plan, double tolerance)
{
  double *residuals = residuals_of(stage);
  const int most = plan->iterations;
  bool reached = true;
  bp_status status =
      bp_scheme_run_to(stage->scheme, plan, tolerance, stage->u, residuals, &reached);
  if (!reached && !status)
    status = bp_fail(BP_WRONG,
                     "expected a residual of %g of the first within %d iterations, found %.3g",
                     tolerance, most, residuals[most] / residuals[0]);
  bp_free(residuals);
  return status;
}

static bp_hash hash_of(const bp_stage *s, const double *other, int64_t other_count)
{
  const bp_hash both[2] = {bp_hash_pieces(s->u, (size_t)bp_system_size(s->system) * sizeof *s->u),
                           bp_hash_pieces(other, (size_t)other_count * sizeof *other)};
  return bp_hash_bytes(both, sizeof both);
}

/* On any rank: it is not what was judged before. */
static bool is_new(const bp_stage *s, bp_status status, const bp_hash *solved,
                   const bp_stage_outcome *outcome)
{
  return bp_comm_largest(s->comm, status || !bp_hash_is_same(*solved, outcome->solved)) > 0;
}

static bp_status compare_solution(bp_stage *s, bp_stage_outcome *outcome)
{
  bp_load_error error = bp_load_compare(s->system, s->u);
  outcome->solution_error = error.error / error.norm;
  if (outcome->solution_error < 1)
    return BP_OK;
  return bp_fail(BP_WRONG, "the error in L2 is %.3g of the solution's norm: 0 were no worse",
                 outcome->solution_error);
}

static bp_status verify_residuals(bp_stage *s, bp_plan *plan, double *residuals,
                                  bp_stage_outcome *outcome)
{
  bp_outcome found;
  bp_status status = bp_scheme_run(s->scheme, plan, s->u, residuals);
  bp_hash solved = {{0}};
  if (!status)
    solved = hash_of(s, residuals, plan->iterations + 1);
  if (!is_new(s, status, &solved, outcome))
    return BP_OK;
  *outcome = (bp_stage_outcome){NAN, NAN, NAN, NAN, NAN, {{0}}};
  if (status)
    return status;
  status = bp_outcome_of(s->system, s->v, s->u, plan->iterations, residuals, &found);
  outcome->error = found.error;
  outcome->tolerance = found.tolerance;
  outcome->residual = found.residual;
  outcome->true_residual = found.true_residual;
  if (!status && s->has_solution)
    status = compare_solution(s, outcome);
  if (!status)
    outcome->solved = solved;
  return status;
}

static bp_status verify_solve(bp_stage *s, bp_plan *plan, bp_stage_outcome *outcome)
{
  double *residuals = residuals_of(s);
  bp_status status = verify_residuals(s, plan, residuals, outcome);
  bp_free(residuals);
  return status;
}

/* ---- waves ---- */

bp_status bp_stage_plan(const bp_stage *stage, const bp_choice *choice, int steps, bp_plan **plan)
{
  if (stage->wave)
    return bp_wave_device_plan(stage->wave_device, choice, steps, plan);
  if (!stage->scheme)
    return bp_plan_create(stage->workspace, choice, plan);
  if (bp_system_total(stage->system) == bp_system_total_fixed(stage->system))
    return bp_fail(BP_SKIPPED, "all unknowns are fixed");
  bp_status status = bp_scheme_plan(stage->scheme, choice, plan);
  if (!status)
    (*plan)->iterations = steps;
  return status;
}

/* The last step literally, and the energy of all of them; s->v has the values one step earlier. */
static bp_status judge_wave(bp_stage *s, int steps, const double *before_last,
                            bp_stage_outcome *outcome)
{
  enum { EPS_OF_A_STEP = 100 };
  const size_t size = (size_t)bp_system_size(s->system);
  double *exact = bp_alloc_array(size, sizeof *exact);
  memcpy(exact, before_last, size * sizeof *exact);
  const double drift = bp_wave_step(s->wave, NULL, s->v, exact) / s->energy - 1;
  outcome->error =
      fmax(bp_wave_distance(s->wave, s->u, exact) / bp_wave_norm(s->wave, exact), fabs(drift));
  outcome->tolerance = EPS_OF_A_STEP * DBL_EPSILON * steps + 1e-11;
  bp_wave_standing(s->wave, steps * s->wave->dt, exact);
  if (s->has_solution) /* of the amplitude at the beginning: the exact wave passes through 0 */
    outcome->solution_error = bp_wave_distance(s->wave, s->u, exact) / s->norm;
  bp_free(exact);
  if (!(outcome->error <= outcome->tolerance))
    return bp_fail(BP_WRONG, "the last step or the energy is off by %.2g, tolerance %.2g",
                   outcome->error, outcome->tolerance);
  return BP_OK;
}

/* The values after the last step, and one and two steps earlier. */
static bp_status run_wave(bp_stage *s, bp_plan *plan, double *before_last)
{
  const int steps = plan->iterations;
  bp_status status = BP_OK;
  if (steps > 1) {
    plan->iterations = steps - 1;
    status = bp_wave_device_run(s->wave_device, plan, s->v, before_last, NULL);
    plan->iterations = steps;
  } else {
    bp_wave_standing(s->wave, 0, s->v);
    memcpy(before_last, s->before, (size_t)bp_system_size(s->system) * sizeof *before_last);
  }
  return status ? status : bp_wave_device_run(s->wave_device, plan, s->u, s->last, NULL);
}

static bp_status verify_wave(bp_stage *s, bp_plan *plan, bp_stage_outcome *outcome)
{
  const int64_t size = bp_system_size(s->system);
  double *before_last = bp_alloc_array((size_t)size, sizeof *before_last);
  bp_hash solved = {{0}};
  bp_status status = run_wave(s, plan, before_last);
  if (!status)
    solved = hash_of(s, s->last, size);
  if (!is_new(s, status, &solved, outcome)) {
    bp_free(before_last);
    return BP_OK;
  }
  *outcome = (bp_stage_outcome){NAN, NAN, NAN, NAN, NAN, {{0}}};
  if (!status)
    status = judge_wave(s, plan->iterations, before_last, outcome);
  if (!status)
    outcome->solved = solved;
  bp_free(before_last);
  return status;
}

bp_status bp_stage_verify(bp_stage *stage, bp_plan *plan, bp_stage_outcome *outcome)
{
  if (stage->wave)
    return verify_wave(stage, plan, outcome);
  if (stage->system)
    return verify_solve(stage, plan, outcome);
  *outcome = (bp_stage_outcome){NAN, bp_reference_tolerance(stage->problem), NAN, NAN, NAN, {{0}}};
  bp_status status = bp_verify(plan, stage->reference, stage->v, &outcome->error);
  outcome->error = bp_comm_largest(stage->comm, outcome->error);
  return bp_comm_agree(stage->comm, status);
}
