/* bench.c -- running cases: set up, verify, time in rounds, verify again, record. */
#include "bench/bench.h"
#include "bench/case_rows.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/group.h"
#include "report/record_fields.h"
#include <math.h>
#include <string.h>

/* ---- which rows ---- */

static bool is_same_row(const bp_row *a, const bp_row *b)
{
  return strcmp(a->backend, b->backend) == 0 && a->degree == b->degree &&
         a->elements == b->elements && strcmp(a->variant, b->variant) == 0 &&
         strcmp(a->options, b->options) == 0 && strcmp(a->rung, b->rung) == 0 &&
         bp_row_is_beside(a, b, BP_SAME_PROBLEM | BP_SAME_MESH);
}

/* Whether the record had it when the run began: one that is resumed. */
static bool is_recorded(const bp_session *s, const bp_record *record, const bp_cases *cases,
                        const bp_case *c, int n, bool cold)
{
  bp_row row = {0};
  bool is = false;
  if (s->before == 0)
    return false;
  bp_row_name(cases, c, n, cold, &row);
  for (int64_t i = 0; i < s->before && !is; ++i)
    is = is_same_row(&record->rows[i], &row);
  bp_fields_free(&row, bp_row_fields);
  return is;
}

/* Rows of the case that are still to be measured. */
static int rows_left(const bp_session *s, const bp_record *record, const bp_cases *cases,
                     const bp_case *c)
{
  int count = 0;
  for (int cold = 0; cold < 2; ++cold)
    for (int n = 0; n < c->choices_count && bp_cases_have(cases, cold); ++n)
      count += !is_recorded(s, record, cases, c, n, cold);
  return count;
}

static bool is_left(const bp_running *r, int n, bool cold)
{
  return !is_recorded(r->session, r->record, r->cases, r->c, n, cold);
}

/* ---- progress ---- */

static void show_progress(const bp_running *r, const char *what)
{
  const bp_session *s = r->session;
  char left[BP_LEFT_BYTES];
  bp_events_left(left, bp_clock() - s->begin, s->rows_ready, s->rows);
  bp_events_progress(r->events, "[%d/%d] %s N=%d, %lld elements: %s%s", r->number + 1,
                     r->cases->count, bp_case_problem(r->c), r->c->space.degree,
                     (long long)r->c->elements, what, left);
}

static void clear_progress(const bp_running *r)
{
  bp_events_progress(r->events, "%s", "");
}

static void record_mesh(const bp_running *r)
{
  double smallest, largest, volume;
  int64_t worst;
  for (int n = 0; n < r->record->meshes_count; ++n)
    if (strcmp(r->record->meshes[n].name, r->stage->mesh->name) == 0)
      return;
  bp_problem_jacobians(r->stage->mesh, &smallest, &largest, &worst, &volume);
  bp_record_mesh *m = bp_record_add_mesh(r->record);
  bp_record_set(&m->name, r->stage->mesh->name);
  bp_record_set(&m->format, r->stage->mesh->format);
  m->elements = r->stage->mesh->elements;
  m->vertices = r->cases->connectivity ? r->cases->connectivity->vertices : r->stage->mesh->nodes;
  m->order = r->stage->mesh->order;
  m->other_cells = bp_mesh_other_cells(r->stage->mesh);
  m->reoriented = r->stage->mesh->reoriented;
  m->periodic_nodes = r->stage->mesh->periodic_nodes;
  m->volume = volume;
  if (r->stage->mesh == r->cases->mesh) {
    m->read_seconds = r->cases->read_seconds;
    m->connect_seconds = r->cases->connect_seconds;
  }
}

/* SIMD kernels take as many elements at once as there are lanes. */
static void tell_empty_lanes(const bp_running *r)
{
  enum { MUCH = 4 }; /* a quarter */
  const bp_device *device = r->cases->device;
  const int64_t lanes = bp_space_lanes(r->c->space, device->lanes),
                all = (r->c->elements + lanes - 1) / lanes * lanes, empty = all - r->c->elements;
  int n = 0;
  while (n < r->c->choices_count && !strchr(r->c->choices[n].variant->factors, 'l'))
    ++n;
  if (lanes > 1 && n < r->c->choices_count && MUCH * empty >= all)
    bp_events_message(r->events,
                      "bp: %s N=%d: %lld element%s on %lld lanes leave%s %.0f %% of them empty",
                      bp_case_problem(r->c), r->c->space.degree, (long long)r->c->elements,
                      r->c->elements > 1 ? "s" : "", (long long)all, r->c->elements > 1 ? "" : "s",
                      100.0 * (double)empty / (double)all);
}

/* Also where it fails: rows of a case that does not fit name their mesh. */
static bp_status set_up(bp_running *r)
{
  show_progress(r, "setting up");
  const bp_stage_options options = {.measured = true};
  tell_empty_lanes(r);
  bp_status status = bp_stage_create(r->c, r->cases->config, r->cases->device, options, &r->stage);
  if (r->stage->problem && r->stage->mesh)
    record_mesh(r);
  if (r->stage->rounding > 0)
    bp_events_message(
        r->events,
        "bp: %s N=%d: factors rounded to floats change the operator by %.2g of itself at most",
        bp_case_problem(r->c), r->c->space.degree, r->stage->rounding);
  return status;
}

/* Takes a choice out of the running; bp_message() says why. */
static void drop(bp_running *r, int n, bp_row_status state)
{
  r->states[n] = state;
  r->reasons[n] = bp_strdup(bp_message());
  r->any_wrong = r->any_wrong || state == BP_ROW_WRONG;
  bp_plan_destroy(r->plans[n]);
  r->plans[n] = NULL;
}

/* A choice that needs more memory than a rank has cannot run here; any other failure is its own. */
static void drop_unable(bp_running *r, int n, bp_status status)
{
  bool is_unable =
      status == BP_SKIPPED ||
      (status == BP_ENVIRONMENT && bp_comm_largest(r->cases->comm, r->cases->device->is_full) > 0);
  drop(r, n, is_unable ? BP_ROW_SKIPPED : BP_ROW_WRONG);
}

static void create_plans(bp_running *r)
{
  show_progress(r, "preparing variants");
  for (int n = 0; n < r->c->choices_count; ++n) {
    r->outcomes[n] = bp_stage_unknown;
    r->cases->device->is_full = false;
    bp_status status = bp_stage_plan(r->stage, &r->c->choices[n],
                                     bp_stage_iterations(r->cases->config), &r->plans[n]);
    status = bp_comm_agree(r->cases->comm, status);
    if (!status)
      status = bp_stage_find_iterations(r->stage, r->plans[n], &r->outcomes[n]);
    if (status == BP_INTERRUPTED)
      return;
    if (status)
      drop_unable(r, n, status);
  }
}

static void verify_all(bp_running *r)
{
  for (int n = 0; n < r->c->choices_count && !bp_events_interrupted(r->events); ++n)
    if (r->plans[n]) {
      show_progress(r, "verifying");
      r->cases->device->is_full = false;
      const bp_stage_outcome before = r->outcomes[n];
      double begin = bp_clock();
      bp_status status = bp_stage_judge(r->stage, r->plans[n], &r->outcomes[n]);
      if (r->verify_seconds[n] == 0)
        r->verify_seconds[n] = bp_clock_lap(&begin);
      if (status == BP_INTERRUPTED)
        r->outcomes[n] = before;
      else if (status)
        drop_unable(r, n, status);
    }
}

/* ---- timing ---- */

/* A GPU does not wait for the host's processors. */
static bp_sampling sampling_of(const bp_running *r, bool cold)
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
      .busy = r->cases->device->backend->language == BP_LANGUAGE_C ? &r->session->place : NULL,
  };
}

/* Failures while sampling are failures of the choice. */
static void drop_failed(bp_running *r, const bp_rounds *rounds)
{
  for (int n = 0; n < r->c->choices_count; ++n) {
    const bp_sampled *s = &rounds->items[rounds->kernel[n]];
    if (r->plans[n] && rounds->kernel[n] && s->status) {
      bp_fail(BP_WRONG, "%s", s->message);
      drop(r, n, BP_ROW_WRONG);
    }
  }
}

static bp_status sample(bp_running *r, bool cold, bp_plan *const *plans, bp_rounds *rounds)
{
  int64_t bytes = 0; /* of the copy: of the choice that moves most */
  for (int n = 0; n < r->c->choices_count; ++n) {
    int64_t own = r->c->kind->bytes(r->c, &r->c->choices[n], r->cases->device);
    bytes = own > bytes ? own : bytes;
  }
  bytes = bp_case_copy_bytes(r->cases->device, bytes);
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
static bp_status measure(bp_running *r, bool cold)
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
      bp_running_add_row(r, n, cold, is_emulation ? NULL : &rounds);
  }
  if (!status)
    bp_running_record_peaks(r);
  bp_rounds_destroy(&rounds);
  bp_free(plans);
  return status;
}

static void tear_down(bp_running *r)
{
  for (int n = 0; n < r->c->choices_count; ++n) {
    bp_plan_destroy(r->plans[n]);
    bp_free(r->reasons[n]);
  }
  bp_stage_destroy(r->stage);
  bp_free(r->plans);
  bp_free(r->states);
  bp_free(r->reasons);
  bp_free(r->outcomes);
  bp_free(r->verify_seconds);
}

/* A case that does not fit this machine is rows that say so; the other cases go on. */
static void skip_case(bp_running *r)
{
  clear_progress(r);
  for (int n = 0; n < r->c->choices_count; ++n) {
    drop(r, n, BP_ROW_SKIPPED);
    r->outcomes[n] = bp_stage_unknown;
  }
  for (int cold = 0; cold < 2; ++cold)
    for (int n = 0; n < r->c->choices_count && bp_cases_have(r->cases, cold); ++n)
      if (is_left(r, n, cold))
        bp_running_add_row(r, n, cold, NULL);
}

static bp_status run_case(bp_running *r)
{
  if (rows_left(r->session, r->record, r->cases, r->c) == 0)
    return BP_OK;
  size_t count = (size_t)r->c->choices_count;
  r->plans = bp_alloc(count, sizeof *r->plans);
  r->states = bp_alloc(count, sizeof *r->states); /* zeroed: BP_ROW_OK */
  r->reasons = bp_alloc(count, sizeof *r->reasons);
  r->outcomes = bp_alloc(count, sizeof *r->outcomes);
  r->verify_seconds = bp_alloc(count, sizeof *r->verify_seconds);
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
      if (bp_cases_have(r->cases, cold))
        status = measure(r, cold);
  }
  clear_progress(r);
  tear_down(r);
  return status;
}

/* When all rows of the run were skipped, it has failed for the reason that the last of them gives. */
static bp_status refusal(const bp_record *record, int64_t before)
{
  const bp_row *last = &record->rows[record->rows_count - 1];
  for (int64_t n = before; n < record->rows_count; ++n)
    if (record->rows[n].status != BP_ROW_SKIPPED)
      return BP_OK;
  return record->rows_count == before
             ? BP_OK
             : bp_fail(BP_ENVIRONMENT, "nothing was measured: %s", last->reason);
}

/* In the order in which they will come; `all`: those, too, that a resumed record has. */
static bp_record *plan_rows(const bp_session *s, const bp_record *record, const bp_cases *cases,
                            bool all)
{
  bp_record *planned = bp_record_create(0, NULL);
  for (int i = 0; i < cases->count; ++i)
    for (int cold = 0; cold < 2; ++cold)
      for (int n = 0; n < cases->items[i].choices_count && bp_cases_have(cases, cold); ++n)
        if (all || !is_recorded(s, record, cases, &cases->items[i], n, cold))
          bp_row_name(cases, &cases->items[i], n, cold, bp_record_add_row(planned));
  return planned;
}

/* A row that this run would not make is another run's, or damaged. */
static void tell_foreign(const bp_session *s, const bp_record *record, const bp_cases *cases,
                         const bp_events *events)
{
  bp_record *planned = plan_rows(s, record, cases, true);
  const bp_row *first = NULL;
  int64_t count = 0;
  for (int64_t i = 0; i < s->before; ++i) {
    bool is_planned =
        strcmp(record->rows[i].backend, cases->device->backend->name) != 0; /* by another's cases */
    for (int64_t n = 0; n < planned->rows_count && !is_planned; ++n)
      is_planned = is_same_row(&record->rows[i], &planned->rows[n]);
    first = first || is_planned ? first : &record->rows[i];
    count += !is_planned;
  }
  if (first)
    bp_events_message(
        events,
        "--resume: kept as they are: %lld of %lld rows, which this run would not make; "
        "the first is %s/%s %s, N=%d on %s, %s",
        (long long)count, (long long)s->before, first->problem, first->variant, first->options,
        first->degree, first->mesh, first->cache);
  bp_record_destroy(planned);
}

static bp_session start(bp_cases *cases, bp_record *record, const bp_events *events)
{
  bp_session s = {.before = record->rows_count,
                  .begin = bp_clock(),
                  .place = bp_busy_here(bp_comm_local_size(cases->comm))};
  if (cases->comm->rank == 0 && !cases->device->backend->is_emulation)
    s.copies_path = bp_copies_path();
  s.copies = bp_copies_read(s.copies_path);
  cases->device->progress = events->progress;
  cases->device->listener = events->context;
  cases->device->interrupted = events->interrupted;
  bp_cases_build(cases);
  if (cases->comm->size == 1) /* a peak is that of a device */
    bp_peaks_create(cases->device, &s.peaks);
  for (int n = 0; n < cases->count; ++n)
    s.rows += rows_left(&s, record, cases, &cases->items[n]);
  return s;
}

/* Rows are judged once more, now that the fastest copy is known. */
static void finish(bp_session *s, bp_record *record, bp_status status)
{
  for (int64_t n = s->before; n < record->rows_count; ++n)
    bp_copies_judge(s->copies, &record->rows[n]);
  if (!status) /* whose message stays */
    bp_copies_write(s->copies, s->copies_path);
  bp_copies_destroy(s->copies);
  bp_peaks_destroy(&s->peaks);
  bp_free(s->copies_path);
}

bp_status bp_bench_run(bp_cases *cases, bp_record *record, const bp_events *events)
{
  bp_status status = BP_OK;
  bool any_wrong = false;
  bp_session s = start(cases, record, events);
  if (s.before)
    tell_foreign(&s, record, cases, events);
  if (events->planned)
    events->planned(events->context, plan_rows(&s, record, cases, false));
  for (int n = 0; n < cases->count && !status && !bp_events_interrupted(events); ++n) {
    bp_running r = {.session = &s,
                    .cases = cases,
                    .c = &cases->items[n],
                    .number = n,
                    .record = record,
                    .events = events};
    status = run_case(&r);
    any_wrong = any_wrong || r.any_wrong;
  }
  finish(&s, record, status);
  record->interrupted = bp_events_interrupted(events) || cases->comm->lost;
  if (cases->comm->lost)
    return bp_comm_check(cases->comm);
  if (status)
    return status;
  return record->interrupted ? BP_INTERRUPTED : any_wrong ? BP_WRONG : refusal(record, s.before);
}
