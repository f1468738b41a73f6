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
  bool is_saved, is_shown; /* in a file; on the terminal */
  bool has_failed;         /* which was said */
  bp_live *live;           /* the table on standard output; NULL: there is none */
  double last, took;       /* seconds: the clock after the last time, and how long it took */
} keeper;

static void show_row(const bp_row *row)
{
  bp_style style = bp_style_of(stderr);
  bp_text line = {0};
  bp_report_row_line(row, &style, &line);
  fprintf(stderr, "%s\n", line.data);
  bp_text_destroy(&line);
}

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

/* On standard output the table grows. */
static void on_planned(void *context, bp_record *planned)
{
  keeper *k = context;
  const bp_style style = bp_style_of(stdout);
  for (int n = 0; n < k->record->bounds_count; ++n) {
    const bp_bound *b = &k->record->bounds[n];
    bp_record_add_bound(planned, b->device, b->name, b->unit, b->value, b->source);
  }
  k->live = bp_live_create(planned, &style, k->how->is_roofline);
}

static void show(bp_text *text)
{
  fputs(bp_text_string(text), stdout);
  fflush(stdout);
  bp_text_destroy(text);
}

static void on_row(void *context, const bp_row *row)
{
  keeper *k = context;
  if (k->live) {
    bp_text text = {0};
    bp_live_add(k->live, row, &text);
    show(&text);
  }
  if (k->is_shown)
    show_row(row);
  if (k->is_saved)
    save(k);
}

static bool is_file(const char *path)
{
  struct stat info;
  return path && strcmp(path, "-") != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

static bp_status finish_table(keeper *k)
{
  bp_output *output = NULL;
  bp_text text = {0};
  bp_live_finish(k->live, k->record, &text);
  k->live = NULL;
  bp_status status = bp_output_create(NULL, &output);
  show(&text);
  if (k->config->report.figure)
    show_figure(k->record, stdout);
  return status ? status : bp_output_finish(output);
}

/* What cannot be written where it should go is not lost: it goes to standard output. */
static bp_status finish(keeper *k)
{
  if (k->live)
    return finish_table(k);
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

/* On stderr, where it is a terminal on which nothing else shows them. */
static bool are_rows_shown(const bp_config *config, bool is_live)
{
  struct stat info;
  bool is_kept = fstat(STDOUT_FILENO, &info) == 0 && S_ISREG(info.st_mode);
  bool is_seen =
      is_standard_output(config->report.output) && (isatty(STDOUT_FILENO) || (is_live && !is_kept));
  return isatty(STDERR_FILENO) && !is_seen;
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

static bp_status measure(const bp_arguments *arguments, bp_cases *cases, bp_report_format format,
                         const bp_measured *how)
{
  bp_record *record = create_record(arguments, cases);
  const int trials = cases->comm->trials_count;
  if (how->resumed) {
    bp_record_merge(how->resumed, record, "resumed");
    record = how->resumed;
  }
  const bool is_live = is_first(how) && format == BP_REPORT_TABLE &&
                       is_standard_output(cases->config->report.output);
  keeper k = {.record = record,
              .config = cases->config,
              .how = how,
              .format = format,
              .is_saved = is_first(how) && is_file(cases->config->report.output),
              .is_shown = is_first(how) && are_rows_shown(cases->config, is_live)};
  bp_text unused = {0};
  bp_events events = events_of(how);
  events.row = on_row;
  events.planned = is_live ? on_planned : NULL;
  events.context = &k;
  if (how->begin)
    how->begin(record, cases->device);
  bp_terminal_catch();
  bp_status status = bp_terminal_status(bp_bench_run(cases, record, &events));
  add_trials(record, cases->comm, trials); /* of devices, which the first solve has connected */
  char *message = bp_strdup(bp_message());
  if (is_first(how) && (!status || record->rows_count)) {
    bp_status written = finish(&k);
    if (status && !written)
      bp_fail(status, "%s", message);
    status = status ? status : written;
  }
  if (k.live) /* nothing to show */
    bp_live_finish(k.live, record, &unused);
  bp_text_destroy(&unused);
  bp_terminal_release();
  bp_free(message);
  if (!how->resumed)
    bp_record_destroy(record);
  return status;
}

/* ---- before ---- */

/* Rows of two devices are not one run's. */
static bp_status check_device(const bp_record *resumed, const bp_device *device)
{
  for (int64_t n = 0; resumed && n < resumed->rows_count; ++n)
    if (strcmp(resumed->rows[n].device, device->name) != 0)
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

bp_status bp_measured_run(const bp_arguments *arguments, const bp_config *config,
                          const bp_measured *how)
{
  bp_device *device = NULL;
  bp_cases *cases = NULL;
  const bp_events events = events_of(how);
  bp_comm *comm = how->comm ? how->comm : bp_comm_self();
  bp_report_format format = BP_REPORT_TABLE;
  bp_status status = bp_report_format_find(config->report.format, config->report.output, &format);
  if (!status && !how->dry && is_first(how))
    status = check_output(config, how->force);
  status = bp_comm_agree(comm, status);
  if (!status)
    status = bp_bench_open(config, comm, &events, &device);
  if (!status)
    status = bp_cases_create(config, device, true, &cases);
  if (!status)
    status = check_device(how->resumed, device);
  if (!status && how->dry && is_first(how))
    bp_dry_run_print(cases, stdout);
  else if (!status && how->dry)
    status = BP_OK;
  else if (!status)
    status = measure(arguments, cases, format, how);
  bp_cases_destroy(cases);
  bp_device_destroy(device);
  return status;
}
