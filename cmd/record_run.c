/* record_run.c -- from a config to a written record. */
#include "record_run.h"
#include "dry_run.h"
#include "terminal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "bench/environment.h"
#include "bench/gpu.h"
#include "bench/open_device.h"
#include "bench/placement.h"
#include "report/number.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How fast the ways between ranks are that were tried. */
static void add_trials(bp_record *record, const bp_comm *comm, int first)
{
  for (int n = first; n < comm->trials_count; ++n) {
    const bp_trial *t = &comm->trials[n];
    bp_number sum, exchange, low, high;
    char *key = bp_format("communication %s", t->name);
    char *value = bp_format(
        "sum of 3 values %s, exchange of 32 KiB with either neighbour %s; of an "
        "iteration %s to %s in %d trials",
        bp_number_seconds(sum, t->sum_seconds, false),
        bp_number_seconds(exchange, t->exchange_seconds, false),
        bp_number_seconds(low, t->low, false), bp_number_seconds(high, t->high, false), t->turns);
    bp_record_add_fact(record, key, value);
    bp_free(key);
    bp_free(value);
  }
}

static bp_record *create_record(const bp_arguments *arguments, const bp_cases *cases)
{
  bp_record *record = bp_record_create(bp_arguments_argc(arguments), bp_arguments_argv(arguments));
  bp_text resolved = {0};
  bp_config_print(cases->config, &resolved);
  bp_record_set(&record->config, bp_text_string(&resolved));
  bp_text_destroy(&resolved);
  record->seed = (uint64_t)cases->config->seed;
  bp_environment_add(record, cases->device);
  bp_placement_add(record, cases->device);
  bp_gpu_add_facts(record, cases->device);
  add_trials(record, cases->comm, 0);
  return record;
}

/* On a terminal a picture follows the table. */
static void show_figure(const bp_record *record, FILE *stream)
{
  bp_style style = bp_style_of(stream);
  bp_text figure = {0};
  if (style.terminal)
    bp_report_figure_terminal(record, &style, &figure);
  fputs(bp_text_string(&figure), stream);
  bp_text_destroy(&figure);
}

static bp_status write_record(const bp_record *record, const bp_config *config,
                              bp_report_format format, const bp_measured *how)
{
  bp_output *output = NULL;
  bp_status status = bp_output_create(config->report.output, &output);
  if (status)
    return status;
  how->write(record, format, bp_output_stream(output));
  if (format == BP_REPORT_TABLE && config->report.figure)
    show_figure(record, bp_output_stream(output));
  return bp_output_finish(output);
}

/* ---- while it runs ---- */

/* The record is written again and again, so that a run that is killed loses no more than its last
 * rows; the longer that takes the less often. */
typedef struct {
  bp_record *record;
  const bp_config *config;
  const bp_measured *how;
  bp_report_format format;
  bool is_saved;     /* in a file */
  bool has_failed;   /* which was said */
  FILE *shown;       /* where a table grows: standard output, or else a terminal; NULL: nowhere */
  bp_live *live;     /* the table; NULL: there is none */
  double last, took; /* seconds: the clock after the last time, and how long it took */
} keeper;

static void save(keeper *k)
{
  const double share = 20; /* of the time */
  double begin = bp_clock();
  if (begin - k->last < share * k->took)
    return;
  k->record->interrupted = true;
  bp_status status = write_record(k->record, k->config, k->format, k->how);
  k->record->interrupted = false;
  if (status && !k->has_failed)
    fprintf(stderr, "%s; the run goes on\n", bp_message());
  k->has_failed = status != BP_OK;
  k->last = bp_clock();
  k->took = k->last - begin;
}

static void on_planned(void *context, bp_record *planned)
{
  keeper *k = context;
  const bp_style style = bp_style_of(k->shown);
  for (int n = 0; n < k->record->bounds_count; ++n) {
    const bp_bound *b = &k->record->bounds[n];
    bp_record_add_bound(planned, b->device, b->name, b->unit, b->value, b->source);
  }
  k->live = bp_live_create(planned, &style, k->how->is_roofline);
}

static void show(bp_text *text, FILE *stream)
{
  fputs(bp_text_string(text), stream);
  fflush(stream);
  bp_text_destroy(text);
}

static void on_row(void *context, const bp_row *row)
{
  keeper *k = context;
  if (k->live) {
    bp_text text = {0};
    bp_live_add(k->live, row, &text);
    show(&text, k->shown);
  }
  if (k->is_saved)
    save(k);
}

static bool is_file(const char *path)
{
  struct stat info;
  return path && strcmp(path, "-") != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

static void finish_table(keeper *k)
{
  bp_text text = {0};
  bp_live_finish(k->live, k->record, &text);
  k->live = NULL;
  show(&text, k->shown);
}

static bp_status finish_output(const keeper *k)
{
  bp_output *output = NULL;
  bp_status status = bp_output_create(NULL, &output);
  if (k->config->report.figure)
    show_figure(k->record, stdout);
  return status ? status : bp_output_finish(output);
}

/* What cannot be written where it should go is not lost: it goes to standard output. */
static bp_status finish(keeper *k)
{
  if (k->live)
    finish_table(k);
  if (k->shown == stdout)
    return finish_output(k);
  bp_status status = write_record(k->record, k->config, k->format, k->how);
  if (!status || !is_file(k->config->report.output))
    return status;
  k->how->write(k->record, k->format, stdout);
  char *message = bp_format("%s; it went to standard output", bp_message());
  bp_fail(status, "%s", message);
  bp_free(message);
  return status;
}

static bool is_standard_output(const char *path)
{
  return !path || strcmp(path, "-") == 0;
}

/* Where the table grows: where it goes at the end, or else on a terminal on which nothing else shows it. */
static FILE *growing_on(const bp_config *config, bp_report_format format)
{
  const bool is_output = is_standard_output(config->report.output);
  if (format == BP_REPORT_TABLE && is_output)
    return stdout;
  return isatty(STDERR_FILENO) && !(is_output && isatty(STDOUT_FILENO)) ? stderr : NULL;
}

/* Rank 0 alone writes and shows anything. */
static bool is_first(const bp_measured *how)
{
  return !how->comm || how->comm->rank == 0;
}

/* With ranks a signal counts when all of them know of it. */
static bp_events events_of(const bp_measured *how)
{
  bp_events events = bp_terminal_events();
  if (how->comm && how->comm->size > 1) {
    how->comm->signal = events.interrupted;
    events.interrupted = &how->comm->interrupted;
  }
  if (!is_first(how))
    events.progress = events.message = NULL;
  return events;
}

/* What is measured for a record, one backend after the other. */
typedef struct {
  const bp_arguments *arguments;
  const bp_config *config;
  const bp_measured *how;
  bp_report_format format;
  bp_record *record; /* NULL: nothing yet */
  bp_device *devices[BP_BACKENDS_MAX];
  bp_cases *cases[BP_BACKENDS_MAX];
} run;

static void add_record(run *r, const bp_cases *cases)
{
  bp_record *new = create_record(r->arguments, cases);
  if (r->record)
    bp_record_merge(r->record, new,
                    r->record == r->how->resumed ? "resumed" : cases->device->backend->name);
  else
    r->record = new;
}

/* The n-th backend. */
static bp_status measure(run *r, int n)
{
  const bp_measured *how = r->how;
  bp_cases *cases = r->cases[n];
  const int trials = cases->comm->trials_count;
  add_record(r, cases);
  keeper k = {.record = r->record,
              .config = r->config,
              .how = how,
              .format = r->format,
              .is_saved = is_first(how) && is_file(r->config->report.output),
              .shown = is_first(how) ? growing_on(r->config, r->format) : NULL};
  bp_text unused = {0};
  bp_events events = events_of(how);
  events.row = on_row;
  events.planned = k.shown ? on_planned : NULL;
  events.context = &k;
  if (how->begin)
    how->begin(r->record, cases->device);
  bp_terminal_catch();
  bp_status status = bp_terminal_status(bp_bench_run(cases, r->record, &events));
  add_trials(r->record, cases->comm, trials); /* of devices, which the first solve has connected */
  char *message = bp_strdup(bp_message());
  const bool goes_on = n + 1 < r->config->backends.count && (!status || status == BP_WRONG);
  if (goes_on && k.live && k.shown != stdout) {
    finish_table(&k); /* the record goes out at the end */
  } else if (is_first(how) && (!status || r->record->rows_count) && (!goes_on || k.live)) {
    bp_status written = finish(&k);
    if (status && !written)
      bp_fail(status, "%s", message);
    status = status ? status : written;
  }
  if (k.live) /* nothing to show */
    bp_live_finish(k.live, r->record, &unused);
  bp_text_destroy(&unused);
  bp_terminal_release();
  bp_free(message);
  return status;
}

static bp_status measure_all(run *r)
{
  bp_status status = BP_OK;
  for (int n = 0; n < r->config->backends.count && (!status || status == BP_WRONG); ++n) {
    const bp_status now = measure(r, n);
    status = now ? now : status;
  }
  return status;
}

/* ---- before ---- */

/* Rows of two devices are not one run's, unless it has several backends. */
static bp_status check_device(const bp_record *resumed, const bp_device *device, bool is_one)
{
  for (int64_t n = 0; resumed && n < resumed->rows_count; ++n)
    if (strcmp(resumed->rows[n].device, device->name) != 0 &&
        (is_one || strcmp(resumed->rows[n].backend, device->backend->name) == 0))
      return bp_fail(BP_BAD_INPUT, "--resume: expected the device of the record, '%s', found '%s'",
                     resumed->rows[n].device, device->name);
  return BP_OK;
}

/* Nobody's file is replaced because a config of someone else names it, nor an hour's record by the next
 * run. */
static bp_status check_output(const bp_config *config, bool force)
{
  const char *path = config->report.output, *place = bp_config_where(config, "report.output");
  bp_status status = path && strcmp(path, "-") != 0 && !force
                         ? bp_file_check_new(path, place ? place : "report.output")
                         : BP_OK;
  return status ? status : bp_output_check(path);
}

/* All backends', before the first row. */
static bp_status open_all(run *r, bp_comm *comm)
{
  const bp_config_strings *names = &r->config->backends;
  const bp_events events = events_of(r->how);
  const char *name;
  bp_status status = comm->size > 1 ? bp_config_one_backend(r->config, &name) : BP_OK;
  for (int n = 0; n < names->count && !status; ++n) {
    status = bp_bench_open_backend(r->config, names->items[n], comm, &events, &r->devices[n]);
    if (!status)
      status = bp_cases_create(r->config, r->devices[n], true, &r->cases[n]);
    if (!status)
      status = check_device(r->how->resumed, r->devices[n], names->count == 1);
  }
  return status;
}

bp_status bp_measured_run(const bp_arguments *arguments, const bp_config *config,
                          const bp_measured *how)
{
  run r = {.arguments = arguments, .config = config, .how = how, .record = how->resumed};
  bp_comm *comm = how->comm ? how->comm : bp_comm_self();
  bp_status status = bp_report_format_find(config->report.format, config->report.output, &r.format);
  if (!status && !how->dry && is_first(how))
    status = check_output(config, how->force);
  status = bp_comm_agree(comm, status);
  if (!status)
    status = open_all(&r, comm);
  if (!status && !how->dry)
    status = measure_all(&r);
  for (int n = 0; n < config->backends.count; ++n) {
    if (!status && how->dry && is_first(how))
      bp_dry_run_print(r.cases[n], stdout);
    bp_cases_destroy(r.cases[n]);
    bp_device_destroy(r.devices[n]);
  }
  if (r.record != how->resumed)
    bp_record_destroy(r.record);
  return status;
}
