/* bench.c -- running cases: set up, verify, time in rounds, verify again, record. */
#include "bench/bench.h"
#include "bench/each.h"
#include "bench/gpu.h"
#include "bench/rounds.h"
#include "bench/stage.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/reference.h"
#include "measure/waits.h"
#include "report/record_fields.h"
#include <math.h>
#include <string.h>

/* ---- running ---- */

/* What a run holds from its first case to its last. */
typedef struct {
  bp_peaks peaks;
  int64_t before;       /* rows that were there: of a run that is resumed */
  double begin;         /* on the clock */
  int rows, rows_ready; /* to be measured */
} session;

/* What one case holds while it runs; arrays have an item for each choice. */
typedef struct {
  session *session;
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

/* ---- which rows ---- */

static bool is_asked_for(const bp_cases *cases, bool cold)
{
  const char *cache = cases->config->measure.cache;
  return strcmp(cache, "both") == 0 || strcmp(cache, cold ? "cold" : "hot") == 0;
}

/* What says which row it is. */
static void name_row(const bp_cases *cases, const bp_case *c, int n, bool cold, bp_row *row)
{
  const bp_choice *choice = &c->choices[n];
  bp_record_set(&row->problem, bp_case_problem(c));
  bp_record_set(&row->variant, choice->variant->name);
  bp_record_set(&row->rung, choice->rung);
  bp_free(row->options);
  row->options = bp_choice_options(choice);
  bp_record_set(&row->backend, cases->device->backend->name);
  bp_record_set(&row->device, cases->device->name);
  bp_free(row->mesh);
  row->mesh = bp_case_mesh_name(cases, c);
  bp_record_set(&row->cache, cold ? "cold" : "hot");
  bp_record_set(&row->quadrature, c->quadrature);
  bp_record_set(&row->preconditioner, c->space.jacobi ? "jacobi" : "");
  row->lambda = c->lambda;
  row->degree = bp_operator_degree(c->op, c->space);
  row->target_nodes = c->target_dofs;
  row->elements = c->elements;
  row->ranks = cases->comm->size;
}

static bool is_same_row(const bp_row *a, const bp_row *b)
{
  return strcmp(a->problem, b->problem) == 0 && strcmp(a->variant, b->variant) == 0 &&
         strcmp(a->options, b->options) == 0 && strcmp(a->rung, b->rung) == 0 &&
         strcmp(a->mesh, b->mesh) == 0 && strcmp(a->cache, b->cache) == 0 &&
         strcmp(a->quadrature, b->quadrature) == 0 &&
         strcmp(a->preconditioner, b->preconditioner) == 0 && a->lambda == b->lambda &&
         a->degree == b->degree && a->elements == b->elements &&
         a->target_nodes == b->target_nodes && bp_row_ranks(a) == bp_row_ranks(b);
}

/* Whether the record had it when the run began: one that is resumed. */
static bool is_recorded(const session *s, const bp_record *record, const bp_cases *cases,
                        const bp_case *c, int n, bool cold)
{
  bp_row row = {0};
  bool is = false;
  if (s->before == 0)
    return false;
  name_row(cases, c, n, cold, &row);
  for (int64_t i = 0; i < s->before && !is; ++i)
    is = is_same_row(&record->rows[i], &row);
  bp_fields_free(&row, bp_row_fields);
  return is;
}

/* Rows of the case that are still to be measured. */
static int rows_left(const session *s, const bp_record *record, const bp_cases *cases,
                     const bp_case *c)
{
  int count = 0;
  for (int cold = 0; cold < 2; ++cold)
    for (int n = 0; n < c->choices_count && is_asked_for(cases, cold); ++n)
      count += !is_recorded(s, record, cases, c, n, cold);
  return count;
}

static bool is_left(const running *r, int n, bool cold)
{
  return !is_recorded(r->session, r->record, r->cases, r->c, n, cold);
}

/* ---- progress ---- */

static void show_progress(const running *r, const char *what)
{
  const session *s = r->session;
  char left[BP_LEFT_BYTES];
  bp_events_left(left, bp_clock() - s->begin, s->rows_ready, s->rows);
  bp_events_progress(r->events, "[%d/%d] %s N=%d, %lld elements: %s%s", r->number + 1,
                     r->cases->count, bp_case_problem(r->c), r->c->space.degree,
                     (long long)r->c->elements, what, left);
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
  if (r->stage.problem && r->stage.mesh)
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

static const bp_stage_outcome unknown_outcome = {NAN, NAN, NAN, NAN, NAN, {{0}}};

/* With a tolerance at most so many, if the config says how many at all. */
static int iterations_of(const bp_config *config)
{
  bool is_limit = config->tolerance > 0 && !bp_config_where(config, "iterations");
  return is_limit ? BP_SCHEME_ITERATIONS_MAX : (int)config->iterations;
}

static bp_status find_iterations(running *r, bp_plan *plan)
{
  const double tolerance = r->cases->config->tolerance;
  if (!r->c->solve || bp_bake_off_is_wave(r->c->solve) || tolerance == 0)
    return BP_OK;
  return bp_stage_find_iterations(&r->stage, plan, tolerance);
}

static void create_plans(running *r)
{
  show_progress(r, "preparing variants");
  for (int n = 0; n < r->c->choices_count; ++n) {
    r->outcomes[n] = unknown_outcome;
    bp_status status =
        bp_stage_plan(&r->stage, &r->c->choices[n], iterations_of(r->cases->config), &r->plans[n]);
    status = bp_comm_agree(r->cases->comm, status);
    if (!status)
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
    row->dofs -= r->c->space.fields * bp_system_total_fixed(r->stage.system);
  if (r->plans[n])
    row->iterations = r->plans[n]->iterations;
}

static void describe_choice(const running *r, int n, bool cold, bp_row *row)
{
  const bp_choice *choice = &r->c->choices[n];
  const bp_device *device = r->cases->device;
  bp_name names[BP_NAMES_MAX];
  name_row(r->cases, r->c, n, cold, row);
  row->nodes = bp_case_nodes(r->c);
  row->dofs = bp_case_unique_dofs(r->cases, r->c);
  row->bytes = bp_case_model_bytes(r->cases, r->c, choice);
  row->flops = bp_case_flops(r->cases, r->c);
  bp_free(row->communication);
  row->communication =
      bp_strdup(r->c->solve && device->boxes ? "ipc" : r->cases->comm->transport->name);
  row->error = r->outcomes[n].error;
  row->tolerance = r->stage.problem && !r->c->solve ? bp_reference_tolerance(r->stage.problem)
                                                    : r->outcomes[n].tolerance;
  if (r->c->solve)
    describe_solve(r, n, row);
  row->cache_bytes = device->cache_bytes;
  bp_choice_names(choice, r->c->op, r->c->space, r->c->elements, device->lanes, device->sms, names);
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

/* A kernel above a measured peak says that the peak was measured in a bad moment: it is measured again,
 * and is no less than what the kernel was seen to do. */
static double peak_above(bp_peaks *peaks, const char *name, double reached)
{
  bp_peak *peak = bp_peak_find(peaks, name);
  if (!peak)
    return NAN;
  if (reached > peak->value)
    bp_peak_measure(peak);
  peak->value = fmax(peak->value, reached);
  return peak->value;
}

static void find_bounds(running *r, const bp_variant *variant, bp_row *row)
{
  bp_peaks *peaks = &r->session->peaks;
  double seconds = row->seconds.statistics.median;
  double flops = row->executed_flops >= 0 ? (double)row->executed_flops : NAN;
  double traffic = (double)row->shared_traffic * (double)row->elements;
  const char *arithmetic = arithmetic_of(peaks, variant);
  row->arithmetic_gflops = peak_above(peaks, arithmetic, 1e-9 * flops / seconds);
  if (row->shared_traffic > 0)
    row->shared_gbytes_per_second = peak_above(peaks, "shared", 1e-9 * traffic / seconds);
}

static bp_bound *bound_named(bp_record *record, const char *device, const char *name)
{
  for (int n = 0; n < record->bounds_count; ++n)
    if (strcmp(record->bounds[n].device, device) == 0 && strcmp(record->bounds[n].name, name) == 0)
      return &record->bounds[n];
  return NULL;
}

/* The best of the whole run, of one that is resumed too. */
static void record_peaks(running *r)
{
  const char *device = r->cases->device->name;
  for (int n = 0; n < r->session->peaks.count; ++n) {
    bp_peak *peak = &r->session->peaks.items[n];
    bp_bound *bound = bound_named(r->record, device, peak->name);
    if (bound)
      bound->value = peak->value = fmax(peak->value, bound->value);
    else if (peak->value > 0)
      bp_record_add_bound(r->record, device, peak->name, peak->unit, peak->value, "measured");
  }
}

/* ---- rows ---- */

static void fill_times(running *r, int n, const bp_rounds *rounds, bp_row *row)
{
  const bp_sampled *kernel = &rounds->items[rounds->kernel[n]], *copy = &rounds->items[0];
  row->seconds = timing_of(kernel);
  row->copy.bytes = copy->plan->doubles * (int64_t)sizeof(double) * r->cases->comm->size;
  row->copy.by = way_of(copy->plan);
  row->copy.seconds = timing_of(copy);
  row->overhead_seconds = bp_rounds_overhead(rounds, n);
  row->waited = bp_waits(kernel->samples, kernel->count, row->overhead_seconds);
  if (!row->waited)
    row->waited = bp_strdup("");
  bp_record_set(&row->stopped, kernel->stopped);
  row->repetitions = kernel->repetitions;
  find_bounds(r, r->c->choices[n].variant, row);
}

/* Together. */
static void fill_ranks(const running *r, const bp_sampled *kernel, bp_row *row)
{
  const bp_problem *problem = r->stage.problem;
  const bp_sharing *sharing = problem->unknowns ? problem->unknowns->sharing : NULL;
  const double iterations = kernel->plan->iterations;
  bp_row_rank own = {
      .device = r->cases->device->name,
      .elements = problem->elements,
      .surface_nodes = sharing ? bp_sharing_count(sharing, problem->unknowns->count) : 0,
      .seconds = bp_statistics_of(kernel->own, kernel->count).median / iterations,
      .waiting = bp_statistics_of(kernel->waiting, kernel->count).median / iterations};
  if (r->cases->comm->size > 1)
    bp_each_gather(r->cases->comm, &own, &row->each);
}

/* `rounds` is NULL where nothing was timed. */
static void add_row(running *r, int n, bool cold, const bp_rounds *rounds)
{
  bp_row *row = bp_record_add_row(r->record);
  describe_choice(r, n, cold, row);
  row->status = r->states[n];
  if (r->plans[n])
    describe_plan(r->plans[n], row);
  if (r->states[n] != BP_ROW_OK) {
    bp_record_set(&row->reason, r->reasons[n]);
  } else if (rounds) {
    fill_times(r, n, rounds, row);
    fill_ranks(r, &rounds->items[rounds->kernel[n]], row);
    bp_gpu_note_power(row, &r->power);
    if (r->cases->config->measure.energy > 0 && !cold)
      row->power.joules =
          bp_gpu_energy(r->plans[n], r->cases->config->measure.energy) / r->plans[n]->iterations;
  }
  ++r->session->rows_ready;
  if (r->events->row)
    r->events->row(r->events->context, row);
}

/* ---- timing ---- */

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
static void drop_failed(running *r, const bp_rounds *rounds)
{
  for (int n = 0; n < r->c->choices_count; ++n) {
    const bp_sampled *s = &rounds->items[rounds->kernel[n]];
    if (r->plans[n] && rounds->kernel[n] && s->status) {
      bp_fail(BP_WRONG, "%s", s->message);
      drop(r, n, BP_ROW_WRONG);
    }
  }
}

static bp_status sample(running *r, bool cold, bp_plan *const *plans, bp_rounds *rounds)
{
  int64_t bytes = 0; /* of the copy: of the choice that moves most */
  for (int n = 0; n < r->c->choices_count; ++n) {
    int64_t own = bp_case_model_bytes(r->cases, r->c, &r->c->choices[n]);
    bytes = own > bytes ? own : bytes;
  }
  bytes = bp_case_copy_bytes(r->cases, bytes);
  bp_sampling sampling = sampling_of(r, cold);
  bp_comm *comm = r->cases->comm;
  bp_status status =
      bp_comm_agree(comm, bp_rounds_create(r->cases->device, plans, r->c->choices_count,
                                           bytes / comm->size, cold, &r->session->peaks, rounds));
  if (status)
    return status;
  show_progress(r, cold ? "timing, cold" : "timing");
  bp_gpu_watch *watch = bp_gpu_watch_start(r->cases->device);
  bp_rounds_run(rounds, &sampling);
  r->power = bp_gpu_watch_stop(watch);
  if (rounds->items[0].status)
    return bp_fail(BP_ENVIRONMENT, "the copy failed: %s", rounds->items[0].message);
  drop_failed(r, rounds);
  verify_all(r);
  return BP_OK;
}

/* Times every plan that is right and not in the record yet, and verifies once more afterwards:
 * only what is still right becomes a figure. An emulator's time is none. */
static bp_status measure(running *r, bool cold)
{
  int count = r->c->choices_count;
  bool is_emulation = r->cases->device->backend->is_emulation;
  bp_plan **plans = bp_alloc((size_t)count, sizeof *plans);
  bp_rounds rounds = {0};
  for (int n = 0; n < count; ++n)
    plans[n] = is_left(r, n, cold) ? r->plans[n] : NULL;
  bp_status status = is_emulation ? BP_OK : sample(r, cold, plans, &rounds);
  clear_progress(r);
  if (!status)
    status = bp_comm_check(r->cases->comm);
  for (int n = 0; n < count && !status; ++n) {
    bool is_timed = r->plans[n] && !is_emulation;
    if (is_left(r, n, cold) && (!is_timed || rounds.items[rounds.kernel[n]].count > 0))
      add_row(r, n, cold, is_emulation ? NULL : &rounds);
  }
  if (!status)
    record_peaks(r);
  bp_rounds_destroy(&rounds);
  bp_free(plans);
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
    for (int n = 0; n < r->c->choices_count && is_asked_for(r->cases, cold); ++n)
      if (is_left(r, n, cold))
        add_row(r, n, cold, NULL);
}

static bp_status run_case(running *r)
{
  if (rows_left(r->session, r->record, r->cases, r->c) == 0)
    return BP_OK;
  size_t count = (size_t)r->c->choices_count;
  r->plans = bp_alloc(count, sizeof *r->plans);
  r->states = bp_alloc(count, sizeof *r->states); /* zeroed: BP_ROW_OK */
  r->reasons = bp_alloc(count, sizeof *r->reasons);
  r->outcomes = bp_alloc(count, sizeof *r->outcomes);
  bp_status status = set_up(r);
  if (r->cases->comm->lost) {
    status = bp_comm_check(r->cases->comm);
  } else if (status == BP_ENVIRONMENT) {
    skip_case(r);
    status = BP_OK;
  } else if (!status) {
    create_plans(r);
    verify_all(r);
    for (int cold = 0; cold < 2 && !status && !bp_events_interrupted(r->events); ++cold)
      if (is_asked_for(r->cases, cold))
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

static session start(bp_cases *cases, bp_record *record)
{
  session s = {.before = record->rows_count, .begin = bp_clock()};
  bp_cases_build(cases);
  if (cases->comm->size == 1) /* a peak is that of a device */
    bp_peaks_create(cases->device, &s.peaks);
  for (int n = 0; n < cases->count; ++n)
    s.rows += rows_left(&s, record, cases, &cases->items[n]);
  return s;
}

bp_status bp_bench_run(bp_cases *cases, bp_record *record, const bp_events *events)
{
  bp_status status = BP_OK;
  bool any_wrong = false, all_refused = true;
  session s = start(cases, record);
  for (int n = 0; n < cases->count && !status && !bp_events_interrupted(events); ++n) {
    running r = {.session = &s,
                 .cases = cases,
                 .c = &cases->items[n],
                 .number = n,
                 .record = record,
                 .events = events};
    status = run_case(&r);
    any_wrong = any_wrong || r.any_wrong;
    all_refused = all_refused && r.is_refused;
  }
  bp_peaks_destroy(&s.peaks);
  record->interrupted = bp_events_interrupted(events) || cases->comm->lost;
  if (cases->comm->lost)
    return bp_comm_check(cases->comm);
  if (status)
    return status;
  if (all_refused && !record->interrupted)
    return refusal(record);
  return record->interrupted ? BP_INTERRUPTED : any_wrong ? BP_WRONG : BP_OK;
}
