/* case_rows.c -- the rows of a case that runs: names, what its choices reached, what bounds them. */
#include "bench/case_rows.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/energy.h"
#include "bench/rank_rows.h"
#include "fem/reference.h"
#include "measure/waits.h"
#include <math.h>
#include <string.h>

void bp_row_name(const bp_cases *cases, const bp_case *c, int n, bool cold, bp_row *row)
{
  const bp_choice *choice = &c->choices[n];
  bp_record_set(&row->problem, bp_case_problem(c));
  bp_record_set(&row->variant, choice->variant->name);
  bp_record_set(&row->rung, choice->rung);
  bp_free(row->options);
  row->options =
      c->space.multigrid ? bp_case_multigrid(cases->config, c) : bp_choice_options(choice);
  bp_record_set(&row->backend, cases->device->backend->name);
  bp_record_set(&row->device, cases->device->name);
  bp_free(row->mesh);
  row->mesh = bp_case_mesh_name(cases->config, c);
  bp_record_set(&row->cache, cold ? "cold" : "hot");
  bp_record_set(&row->quadrature, c->quadrature);
  bp_record_set(&row->geometry, bp_space_geometry(c->space));
  bp_record_set(&row->preconditioner, c->space.jacobi      ? "jacobi"
                                      : c->space.multigrid ? "p-multigrid"
                                                           : "");
  bp_record_set(&row->precision,
                c->space.precision == BP_DOUBLE ? "" : bp_precisions[c->space.precision]);
  row->lambda = c->lambda;
  row->degree = bp_operator_degree(c->op, c->space);
  row->target_nodes = c->target_dofs;
  row->elements = c->elements;
  row->ranks = cases->comm->size;
}

static void describe_plan(const bp_plan *plan, bp_row *row)
{
  row->code_bytes = plan->details.code_bytes;
  row->registers = plan->details.registers;
  row->spill_bytes = plan->details.spill_bytes;
  row->shared_bytes = plan->details.shared_bytes;
  row->blocks_per_sm = plan->details.blocks_per_sm;
  row->setup_seconds = plan->details.setup_seconds;
  row->compile_seconds = plan->details.compile_seconds;
  row->upload_seconds = plan->details.upload_seconds;
}

static void describe_stages(const bp_running *r, int n, bp_row *row)
{
  const bp_stage *s = r->stage;
  row->stages.mesh = s->mesh_seconds;
  row->stages.geometry = s->system ? s->system->geometry_seconds : s->geometry_seconds;
  row->stages.connectivity = s->system ? s->system->connect_seconds : NAN;
  row->stages.unknowns = s->system ? s->system->number_seconds : NAN;
  row->stages.load = s->load_seconds;
  row->stages.device = s->device_seconds;
  row->stages.verification = r->verify_seconds[n];
}

static void describe_history(const bp_stage_outcome *o, bp_row *row)
{
  row->history.items = bp_alloc((size_t)o->history_count + 1, sizeof *row->history.items);
  row->history.count = o->history_count;
  for (int k = 0; k < o->history_count; ++k)
    row->history.items[k] = (bp_row_residual){o->history[k].iteration, o->history[k].residual};
}

/* Fixed ones are no unknowns. */
static void describe_solve(const bp_running *r, int n, bp_row *row)
{
  const bp_stage_outcome *o = &r->outcomes[n];
  row->least_bytes = r->c->kind->bytes(r->c, NULL, r->cases->device);
  row->residual = o->residual;
  row->true_residual = o->true_residual;
  row->solution_error = o->solution_error;
  if (r->stage->system)
    row->dofs -= r->c->space.fields * bp_system_total_fixed(r->stage->system);
  if (r->plans[n])
    row->iterations = bp_plan_iterations(r->plans[n]);
  if (r->plans[n] && r->plans[n]->inner)
    row->outer_iterations = r->plans[n]->iterations;
  if (r->cases->config->tolerance > 0)
    describe_history(o, row);
  if (r->plans[n] && r->cases->config->tolerance > 0)
    row->applications = row->iterations * r->plans[n]->applications +
                        (r->plans[n]->inner ? row->outer_iterations : 0);
}

static void describe_choice(const bp_running *r, int n, bool cold, bp_row *row)
{
  const bp_choice *choice = &r->c->choices[n];
  const bp_device *device = r->cases->device;
  bp_name names[BP_NAMES_MAX];
  bp_row_name(r->cases, r->c, n, cold, row);
  row->nodes = bp_case_nodes(r->c);
  row->dofs = r->c->kind->unique(r->c);
  row->bytes = r->c->kind->bytes(r->c, choice, device);
  row->flops = r->c->kind->flops(r->c);
  bp_free(row->communication);
  row->communication =
      bp_strdup(r->c->solve ? bp_device_way(device) : r->cases->comm->transport->name);
  row->error = r->outcomes[n].error;
  row->tolerance = r->stage->problem && !r->c->solve ? bp_reference_tolerance(r->stage->problem)
                                                     : r->outcomes[n].tolerance;
  if (r->c->solve || (r->stage->problem && r->stage->problem->iterations))
    describe_solve(r, n, row);
  row->cache_bytes = device->cache_bytes;
  bp_choice_names(choice, r->c->op, r->c->space, r->c->elements,
                  bp_space_lanes(r->c->space, device->lanes), device->sms, names);
  if (choice->variant->shared_traffic)
    BP_ASSERT(bp_expression_evaluate(choice->variant->shared_traffic, names,
                                     &row->shared_traffic) == BP_OK);
  if (choice->variant->flops && !r->c->solve) {
    BP_ASSERT(bp_expression_evaluate(choice->variant->flops, names, &row->executed_flops) == BP_OK);
    row->executed_flops *= row->elements;
  }
}

/* Of an application, an iteration, a copy. */
static bp_timing timing_of(const bp_sampled *s)
{
  for (int64_t n = 0; n < s->count && bp_plan_iterations(s->plan) > 1; ++n)
    s->samples[n] /= bp_plan_iterations(s->plan);
  return bp_timing_of(s->samples, s->count);
}

/* How a copy is made: "peaks/gpu-copy evict_first=3"; "driver" or "host" where no kernel makes it. */
static char *way_of(const bp_plan *copy)
{
  if (!copy->choice.variant)
    return bp_strdup(strcmp(copy->device->backend->name, "cuda") == 0 ? "driver" : "host");
  char *options = bp_choice_options(&copy->choice);
  char *way = bp_format("%s%s%s", copy->choice.variant->id, *options ? " " : "", options);
  bp_free(options);
  return way;
}

/* ---- bounds ---- */

static double peak_named(bp_peaks *peaks, const char *name)
{
  const bp_peak *peak = bp_peak_find(peaks, name);
  return peak && peak->value > 0 ? peak->value : NAN;
}

/* Tensor cores bound the kernels that use them. */
static const char *arithmetic_of(bp_peaks *peaks, const bp_variant *variant)
{
  bool is_tensor = variant->text->source && strstr(variant->text->source, "mma");
  double large = peak_named(peaks, "tensor"), small = peak_named(peaks, "tensor-small");
  if (!is_tensor || isnan(fmax(large, small)))
    return "fma";
  return small > large || isnan(large) ? "tensor-small" : "tensor";
}

static void find_bounds(bp_running *r, const bp_variant *variant, bp_row *row)
{
  bp_peaks *peaks = &r->session->peaks;
  double seconds = row->seconds.statistics.median;
  double flops = row->executed_flops >= 0 ? (double)row->executed_flops : NAN;
  double traffic = (double)row->shared_traffic * (double)row->elements;
  const char *arithmetic = arithmetic_of(peaks, variant);
  row->arithmetic_gflops = bp_peak_reached(peaks, arithmetic, 1e-9 * flops / seconds);
  if (row->shared_traffic > 0)
    row->shared_gbytes_per_second = bp_peak_reached(peaks, "shared", 1e-9 * traffic / seconds);
}

void bp_running_record_peaks(bp_running *r)
{
  const char *device = r->cases->device->name;
  for (int n = 0; n < r->session->peaks.count; ++n) {
    bp_peak *peak = &r->session->peaks.items[n];
    bp_bound *bound = bp_record_find_bound(r->record, device, peak->name);
    if (bound)
      bound->value = peak->value = fmax(peak->value, bound->value);
    else if (peak->value > 0)
      bp_record_add_bound(r->record, device, peak->name, peak->unit, peak->value, "measured");
  }
}

/* ---- rows ---- */

/* "" for nothing strange. */
static char *waits_of(const bp_sampled *s, double empty)
{
  char *what = bp_waits(s->samples, s->count, empty);
  return what ? what : bp_strdup("");
}

static void fill_times(bp_running *r, int n, const bp_rounds *rounds, bp_row *row)
{
  const bp_sampled *kernel = &rounds->items[rounds->kernel[n]], *copy = &rounds->items[0];
  row->seconds = timing_of(kernel);
  row->copy.bytes = copy->plan->doubles * (int64_t)sizeof(double) * r->cases->comm->size;
  row->copy.by = way_of(copy->plan);
  row->copy.seconds = timing_of(copy);
  row->copy.waited = waits_of(copy, NAN);
  row->overhead_seconds = bp_rounds_overhead(rounds, n);
  row->core_seconds = bp_rounds_core(rounds, n);
  row->waited = waits_of(kernel, row->overhead_seconds);
  row->busy = bp_strdup(kernel->busy ? kernel->busy : copy->busy ? copy->busy : "");
  bp_record_set(&row->stopped, kernel->stopped);
  row->repetitions = kernel->repetitions;
  find_bounds(r, r->c->choices[n].variant, row);
  bp_copies_judge(r->session->copies, row);
}

/* Together. */
static void fill_ranks(const bp_running *r, const bp_sampled *kernel, bp_row *row)
{
  const bp_problem *problem = r->stage->problem;
  const bp_sharing *sharing = problem->unknowns ? problem->unknowns->sharing : NULL;
  const double iterations = bp_plan_iterations(kernel->plan);
  bp_row_rank own = {
      .device = r->cases->device->name,
      .elements = problem->elements,
      .surface_nodes = sharing ? bp_sharing_count(sharing, problem->unknowns->count) : 0,
      .seconds = bp_statistics_of(kernel->own, kernel->count).median / iterations,
      .waiting = bp_statistics_of(kernel->waiting, kernel->count).median / iterations};
  if (r->cases->comm->size > 1)
    bp_each_gather(r->cases->comm, &own, &row->each);
}

static void note_energy(const bp_running *r, int n, bp_row *row)
{
  const bp_energy e = bp_energy_of(r->plans[n], r->cases->config->measure.energy);
  if (isnan(e.joules))
    return;
  row->power.joules = e.joules / bp_plan_iterations(r->plans[n]);
  row->power.watts = e.watts;
}

static void note_shares(const bp_running *r, int n, bp_row *row)
{
  bp_multigrid_share shares[BP_MULTIGRID_SHARES];
  int count;
  if (bp_stage_time_shares(r->stage, r->plans[n], shares, &count))
    count = 0;
  row->shares.items = bp_alloc((size_t)count + 1, sizeof *row->shares.items);
  row->shares.count = count;
  for (int s = 0; s < count; ++s)
    row->shares.items[s] =
        (bp_row_share){shares[s].degree, bp_strdup(shares[s].part), shares[s].seconds};
}

void bp_running_add_row(bp_running *r, int n, bool cold, const bp_rounds *rounds)
{
  bp_row *row = bp_record_add_row(r->record);
  describe_choice(r, n, cold, row);
  row->status = r->states[n];
  if (r->plans[n]) {
    describe_plan(r->plans[n], row);
    describe_stages(r, n, row);
  }
  if (r->states[n] != BP_ROW_OK) {
    bp_record_set(&row->reason, r->reasons[n]);
  } else if (rounds) {
    fill_times(r, n, rounds, row);
    fill_ranks(r, &rounds->items[rounds->kernel[n]], row);
    bp_gpu_note_power(row, &r->power);
    if (r->cases->config->measure.energy > 0 && !cold)
      note_energy(r, n, row);
    if (r->c->solve && !cold)
      note_shares(r, n, row);
  }
  ++r->session->rows_ready;
  if (r->events->row)
    r->events->row(r->events->context, row);
}
