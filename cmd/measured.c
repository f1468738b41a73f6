/* measured.c -- from a config to a written record. */
#include "measured.h"
#include "dry_run.h"
#include "terminal.h"

#include "base/file.h"
#include "base/memory.h"
#include "bench/environment.h"
#include "bench/gpu.h"
#include "bench/open.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void show_row(void *context, const bp_row *row)
{
  bp_style style = bp_style_of(stderr);
  bp_text line = {0};
  (void)context;
  bp_report_row_line(row, &style, &line);
  fprintf(stderr, "%s\n", line.data);
  bp_text_destroy(&line);
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
  bp_gpu_add_facts(record, cases->device);
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

static bp_status measure(const bp_arguments *arguments, bp_cases *cases, bp_report_format format,
                         const bp_measured *how)
{
  bp_record *record = create_record(arguments, cases);
  bp_events events = bp_terminal_events();
  if (isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO))
    events.row = show_row;
  if (how->begin)
    how->begin(record, cases->device);
  bp_terminal_catch();
  bp_status status = bp_terminal_status(bp_bench_run(cases, record, &events));
  bp_terminal_release();
  char *message = bp_strdup(bp_message());
  if (!status || record->rows_count) {
    bp_status written = write_record(record, cases->config, format, how);
    if (status && !written)
      bp_fail(status, "%s", message);
    status = status ? status : written;
  }
  bp_free(message);
  bp_record_destroy(record);
  return status;
}

/* Nobody's file is replaced because a config of someone else names it, nor an hour's record by the next
 * run. */
static bp_status check_output(const bp_config *config, bool force)
{
  const char *path = config->report.output, *place = bp_config_where(config, "report.output");
  if (path && strcmp(path, "-") != 0 && !force && bp_file_has_content(path))
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected a new file, found '%s', which is there already; "
                   "--force replaces it",
                   place ? place : "report.output", path);
  return bp_output_check(path);
}

bp_status bp_measured_run(const bp_arguments *arguments, const bp_config *config,
                          const bp_measured *how)
{
  bp_device *device = NULL;
  bp_cases *cases = NULL;
  const bp_events events = bp_terminal_events();
  bp_report_format format = BP_REPORT_TABLE;
  bp_status status = bp_report_format_find(config->report.format, &format);
  if (!status && !how->dry)
    status = check_output(config, how->force);
  if (!status)
    status = bp_bench_open(config, &events, &device);
  if (!status)
    status = bp_cases_create(config, device, &cases);
  if (!status && how->dry)
    bp_dry_run_print(cases, stdout);
  else if (!status)
    status = measure(arguments, cases, format, how);
  bp_cases_destroy(cases);
  bp_device_destroy(device);
  return status;
}
