/* bench.c -- running cases: set up, verify, time in rounds, verify again, record. */
#include "bench/bench.h"
#include "bench/gpu.h"
#include "bench/stage.h"

#include "base/memory.h"
#include "device/machine.h"
#include "fem/reference.h"
#include "measure/sampler.h"
#include <math.h>
#include <string.h>

/* ---- running ---- */

/* What one case holds while it runs; arrays have an item for each choice. */
typedef struct {
  bp_cases *cases;
  const bp_case *c;
  int number;
  bp_record *record;
  const bp_events *events;
  bp_stage stage;
  bp_plan **plans; /* NULL unless the state is ok */
  bp_row_status *states;
  char **reasons; /* NULL while the state is ok */
  bp_stage_outcome *outcomes;
  bool any_wrong;
  bool is_refused;       /* the case does not fit this machine */
  bp_nvml_summary power; /* while the case was last timed */
} running;

static void show_progress(const running *r, const char *what)
{
  bp_events_progress(r->events, "[%d/%d] %s N=%d, %lld elements: %s", r->number + 1,
                     r->cases->count, bp_case_problem(r->c), r->c->space.degree,
                     (long long)r->c->elements, what);
}

static void clear_progress(const running *r)
{
  bp_events_progress(r->events, "%s", "");
}

static void record_mesh(const running *r)
{
  double smallest, largest, volume;
  int64_t worst;
  for (int n = 0; n < r->record->meshes_count; ++n)
    if (strcmp(r->record->meshes[n].name, r->stage.mesh->name) == 0)
      return;
  bp_problem_jacobians(r->stage.mesh, &smallest, &largest, &worst, &volume);
  bp_record_mesh *m = bp_record_add_mesh(r->record);
  bp_record_set(&m->name, r->stage.mesh->name);
  bp_record_set(&m->format, r->stage.mesh->format);
  m->elements = r->stage.mesh->elements;
  m->vertices = r->cases->connectivity ? r->cases->connectivity->vertices : r->stage.mesh->nodes;
  m->order = r->stage.mesh->order;
  m->volume = volume;
  if (r->stage.mesh == r->cases->mesh) {
    m->read_seconds = r->cases->read_seconds;
    m->connect_seconds = r->cases->connect_seconds;
  }
}

/* Also where it fails: rows of a case that does not fit name their mesh. */
static bp_status set_up(running *r)
{
  show_progress(r, "setting up");
  bp_status status = bp_stage_create(r->cases, r->c, &r->stage);
  if (r->stage.problem)
    record_mesh(r);
  return status;
}

/* Takes a choice out of the running; bp_message() says why. */
static void drop(running *r, int n, bp_row_status state)
{
  r->states[n] = state;
  r->reasons[n] = bp_strdup(bp_message());
  r->any_wrong = r->any_wrong || state == BP_ROW_WRONG;
  bp_plan_destroy(r->plans[n]);
  r->plans[n] = NULL;
}

static const bp_stage_outcome unknown_outcome = {NAN, NAN, NAN, NAN, NAN};

static bp_status find_iterations(running *r, bp_plan *plan)
{
  const bp_config *config = r->cases->config;
  bool is_limit = config->tolerance > 0 && !bp_config_where(config, "iterations");
  plan->iterations = is_limit ? BP_SCHEME_ITERATIONS_MAX : (int)config->iterations;
  return config->tolerance > 0 ? bp_stage_find_iterations(&r->stage, plan, config->tolerance)
                               : BP_OK;
}

static void create_plans(running *r)
{
  show_progress(r, "preparing variants");
  for (int n = 0; n < r->c->choices_count; ++n) {
    r->outcomes[n] = unknown_outcome;
    bp_status status = bp_plan_create(r->stage.workspace, &r->c->choices[n], &r->plans[n]);
    if (!status && r->c->solve)
      status = find_iterations(r, r->plans[n]);
    if (status)
      drop(r, n, status == BP_SKIPPED ? BP_ROW_SKIPPED : BP_ROW_WRONG);
  }
}

static void verify_all(running *r)
{
  for (int n = 0; n < r->c->choices_count && !bp_events_interrupted(r->events); ++n)
    if (r->plans[n]) {
      show_progress(r, "verifying");
      if (bp_stage_verify(&r->stage, r->plans[n], &r->outcomes[n]))
        drop(r, n, BP_ROW_WRONG);
    }
}

static void describe_plan(const bp_plan *plan, bp_row *row)
{
  row->registers = plan->details.registers;
  row->spill_bytes = plan->details.spill_bytes;
  row->shared_bytes = plan->details.shared_bytes;
  row->blocks_per_sm = plan->details.blocks_per_sm;
  row->setup_seconds = plan->details.setup_seconds;
  row->compile_seconds = plan->details.compile_seconds;
  row->upload_seconds = plan->details.upload_seconds;
}

/* Fixed ones are no unknowns. */
static void describe_solve(const running *r, int n, bp_row *row)
{
  const bp_stage_outcome *o = &r->outcomes[n];
  row->least_bytes = bp_case_least_bytes(r->cases, r->c);
  row->residual = o->residual;
  row->true_residual = o->true_residual;
  row->solution_error = o->solution_error;
  if (r->stage.system)
    row->dofs -= r->c->space.fields * r->stage.system->unknowns->fixed;
  if (r->plans[n])
    row->iterations = r->plans[n]->iterations;
}

static void describe_choice(const running *r, int n, bool cold, bp_row *row)
{
  const bp_choice *choice = &r->c->choices[n];
  const bp_device *device = r->cases->device;
  bp_record_set(&row->problem, bp_case_problem(r->c));
  bp_record_set(&row->variant, choice->variant->name);
  bp_record_set(&row->rung, choice->rung);
  bp_free(row->options);
  row->options = bp_choice_options(choice);
  bp_record_set(&row->backend, device->backend->name);
  bp_record_set(&row->device, device->name);
  bp_free(row->mesh);
  row->mesh = bp_case_mesh_name(r->cases, r->c);
  bp_record_set(&row->cache, cold ? "cold" : "hot");
  row->degree = r->c->space.degree;
  row->target_nodes = r->c->target_dofs;
  row->elements = r->c->elements;
  row->nodes = bp_case_nodes(r->c);
  row->dofs = bp_case_unique_dofs(r->cases, r->c);
  row->bytes = bp_case_model_bytes(r->cases, r->c, choice);
  row->flops = bp_case_flops(r->cases, r->c);
  row->lambda = r->c->lambda;
  row->error = r->outcomes[n].error;
  row->tolerance = r->stage.problem && !r->c->solve ? bp_reference_tolerance(r->stage.problem)
                                                    : r->outcomes[n].tolerance;
  if (r->c->solve)
    describe_solve(r, n, row);
  bp_name names[BP_NAMES_MAX];
  bp_choice_names(choice, r->c->op, r->c->space, r->c->elements, device->lanes, device->sms, names);
  if (choice->variant->shared_traffic)
    BP_ASSERT(bp_expression_evaluate(choice->variant->shared_traffic, names,
                                     &row->shared_traffic) == BP_OK);
}

/* Of an application, an iteration, a copy. */
static bp_timing timing_of(const bp_sampled *s)
{
  for (int64_t n = 0; n < s->count && s->plan->iterations > 1; ++n)
    s->samples[n] /= s->plan->iterations;
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

/* `kernel` is NULL for a choice that was not timed. */
static void add_row(running *r, int n, bool cold, const bp_sampled *kernel, const bp_sampled *copy)
{
  bp_row *row = bp_record_add_row(r->record);
  describe_choice(r, n, cold, row);
  row->status = r->states[n];
  if (r->plans[n])
    describe_plan(r->plans[n], row);
  if (r->states[n] != BP_ROW_OK) {
    bp_record_set(&row->reason, r->reasons[n]);
  } else {
    row->seconds = timing_of(kernel);
    row->copy.bytes = copy->plan->doubles * (int64_t)sizeof(double);
    row->copy.by = way_of(copy->plan);
    row->copy.seconds = timing_of(copy);
    bp_record_set(&row->stopped, kernel->stopped);
    row->repetitions = kernel->repetitions;
    bp_gpu_note_power(row, &r->power);
    if (r->cases->config->measure.energy > 0 && !cold)
      row->power.joules =
          bp_gpu_energy(r->plans[n], r->cases->config->measure.energy) / r->plans[n]->iterations;
  }
  if (r->events->row)
    r->events->row(r->events->context, row);
}

static bp_sampling sampling_of(const running *r, bool cold)
{
  const bp_config *config = r->cases->config;
  return (bp_sampling){
      .cold = cold,
      .warmup = config->measure.warmup,
      .min_time = config->measure.min_time,
      .max_time = config->measure.max_time,
      .min_samples = config->measure.min_samples,
      .max_samples = config->measure.max_samples,
      .confidence = config->measure.confidence,
      .sample_seconds = 1e-3,
      .interrupted = r->events->interrupted,
  };
}

/* Failures while sampling are failures of the choice. */
static void drop_failed(running *r, const bp_sampled *sampled, const int *place)
{
  for (int n = 0; n < r->c->choices_count; ++n)
    if (r->plans[n] && sampled[place[n]].status) {
      bp_fail(BP_WRONG, "%s", sampled[place[n]].message);
      drop(r, n, BP_ROW_WRONG);
    }
}

/* Samples every plan that is right, with the copy of the same bytes first in each round, and
 * verifies once more afterwards: only what is still right becomes a figure. */
static bp_status measure(running *r, bool cold)
{
  int count = r->c->choices_count, used = 1;
  bp_sampling sampling = sampling_of(r, cold);
  bp_sampled *sampled = bp_alloc((size_t)count + 1, sizeof *sampled);
  int *place = bp_alloc((size_t)count, sizeof *place); /* of choice n in `sampled` */
  int64_t bytes = 0; /* of the copy: of the choice that moves most */
  for (int n = 0; n < count; ++n) {
    int64_t own = bp_case_model_bytes(r->cases, r->c, &r->c->choices[n]);
    bytes = own > bytes ? own : bytes;
  }
  bp_status status = bp_copy_create(r->cases->device, bytes / 2, cold, &sampled[0].plan);
  sampled[0].reference = true;
  for (int n = 0; n < count; ++n)
    if (r->plans[n]) {
      place[n] = used;
      sampled[used++].plan = r->plans[n];
    }
  show_progress(r, cold ? "timing, cold" : "timing");
  bp_gpu_watch *watch = bp_gpu_watch_start(r->cases->device);
  if (!status && used > 1)
    bp_sample(sampled, used, &sampling);
  r->power = bp_gpu_watch_stop(watch);
  if (!status && sampled[0].status)
    status = bp_fail(BP_ENVIRONMENT, "the copy failed: %s", sampled[0].message);
  if (!status) {
    drop_failed(r, sampled, place);
    verify_all(r);
  }
  clear_progress(r);
  for (int n = 0; n < count && !status; ++n)
    if (!r->plans[n] || sampled[place[n]].count > 0)
      add_row(r, n, cold, &sampled[place[n]], &sampled[0]);
  bp_plan_destroy(sampled[0].plan);
  for (int s = 0; s < used; ++s)
    bp_sampled_destroy(&sampled[s]);
  bp_free(sampled);
  bp_free(place);
  return status;
}

static void tear_down(running *r)
{
  for (int n = 0; n < r->c->choices_count; ++n) {
    bp_plan_destroy(r->plans[n]);
    bp_free(r->reasons[n]);
  }
  bp_stage_destroy(&r->stage);
  bp_free(r->plans);
  bp_free(r->states);
  bp_free(r->reasons);
  bp_free(r->outcomes);
}

static bool is_asked_for(const running *r, bool cold)
{
  const char *cache = r->cases->config->measure.cache;
  return strcmp(cache, "both") == 0 || strcmp(cache, cold ? "cold" : "hot") == 0;
}

/* A case that does not fit this machine is rows that say so; the other cases go on. */
static void skip_case(running *r)
{
  r->is_refused = true;
  clear_progress(r);
  for (int n = 0; n < r->c->choices_count; ++n) {
    drop(r, n, BP_ROW_SKIPPED);
    r->outcomes[n] = unknown_outcome;
  }
  for (int cold = 0; cold < 2; ++cold)
    for (int n = 0; n < r->c->choices_count && is_asked_for(r, cold); ++n)
      add_row(r, n, cold, NULL, NULL);
}

static bp_status run_case(running *r)
{
  size_t count = (size_t)r->c->choices_count;
  r->plans = bp_alloc(count, sizeof *r->plans);
  r->states = bp_alloc(count, sizeof *r->states); /* zeroed: BP_ROW_OK */
  r->reasons = bp_alloc(count, sizeof *r->reasons);
  r->outcomes = bp_alloc(count, sizeof *r->outcomes);
  bp_status status = set_up(r);
  if (status == BP_ENVIRONMENT) {
    skip_case(r);
    status = BP_OK;
  } else if (!status) {
    create_plans(r);
    verify_all(r);
    for (int cold = 0; cold < 2 && !status && !bp_events_interrupted(r->events); ++cold)
      if (is_asked_for(r, cold))
        status = measure(r, cold);
  }
  clear_progress(r);
  tear_down(r);
  return status;
}

/* When no case fitted this machine, the run has failed for the reason that the last of them gave. */
static bp_status refusal(const bp_record *record)
{
  const bp_row *last = &record->rows[record->rows_count - 1];
  return bp_fail(BP_ENVIRONMENT, "nothing was measured: %s", last->reason);
}

bp_status bp_bench_run(bp_cases *cases, bp_record *record, const bp_events *events)
{
  bp_status status = BP_OK;
  bool any_wrong = false, all_refused = true;
  bp_cases_build(cases);
  for (int n = 0; n < cases->count && !status && !bp_events_interrupted(events); ++n) {
    running r = {
        .cases = cases, .c = &cases->items[n], .number = n, .record = record, .events = events};
    status = run_case(&r);
    any_wrong = any_wrong || r.any_wrong;
    all_refused = all_refused && r.is_refused;
  }
  record->interrupted = bp_events_interrupted(events);
  if (status)
    return status;
  if (all_refused && !record->interrupted)
    return refusal(record);
  return record->interrupted ? BP_INTERRUPTED : any_wrong ? BP_WRONG : BP_OK;
}
