/* run.c -- `bp run`: from a config and a mesh to verified, timed numbers. */
#include "bench.h"
#include "command.h"
#include "device.h"
#include "environment.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/report.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bp_status read_config(const bp_arguments *arguments, bp_config **config)
{
  bp_status status = BP_OK;
  if (bp_argument_count(arguments))
    status = bp_config_read(bp_argument_at(arguments, 0), config);
  else
    *config = bp_config_default();
  if (!status)
    status = bp_arguments_to_config(arguments, *config);
  return status ? status : bp_config_check(*config);
}

/* What would run, and the host memory that it takes. */
static void print_cases(const bp_cases *cases, FILE *out)
{
  int rows = 0;
  fprintf(out, "%-8s %3s  %-24s %10s %14s %10s  %s\n", "problem", "N", "mesh", "elements", "DOFs",
          "memory", "variants");
  for (int n = 0; n < cases->count; ++n) {
    const bp_case *c = &cases->items[n];
    int64_t nodes = (int64_t)(c->degree + 1) * (c->degree + 1) * (c->degree + 1);
    char *mesh = bp_case_mesh_name(cases, c), bytes[32];
    bp_print_bytes(bytes, (double)bp_case_bytes(c, cases->device->backend->language));
    fprintf(out, "%-8s %3d  %-24s %10lld %14lld %10s ", c->op->name, c->degree, mesh,
            (long long)c->elements, (long long)(c->elements * nodes), bytes);
    for (int i = 0; i < c->choices_count; ++i) {
      char *options = bp_choice_options(&c->choices[i]);
      fprintf(out, " %s%s%s%s", c->choices[i].variant->name, *options ? "[" : "", options,
              *options ? "]" : "");
      bp_free(options);
    }
    fprintf(out, "\n");
    rows += c->choices_count;
    bp_free(mesh);
  }
  fprintf(out, "%d rows on %s, cache %s\n", rows, cases->device->name, cases->config->measure.cache);
}

static void show_row(const bp_row *row, void *context)
{
  bp_style style = bp_style_of(stderr);
  bp_text line = {0};
  (void)context;
  bp_report_row_line(row, &style, &line);
  fprintf(stderr, "%s\n", line.data);
  bp_text_destroy(&line);
}

static bp_status write_record(const bp_record *record, const bp_config *config,
                              bp_report_format format)
{
  bp_output *output = NULL;
  bp_status status = bp_output_create(config->report.output, &output);
  if (status)
    return status;
  bp_report_write(record, format, bp_output_stream(output));
  return bp_output_finish(output);
}

/* The record goes out also when a row was wrong, a later case failed or Ctrl-C came: nothing measured
 * is lost. */
static bp_status run_and_report(const bp_arguments *arguments, bp_cases *cases,
                                bp_report_format format)
{
  const bp_config *config = cases->config;
  bp_record *record = bp_record_create(bp_arguments_argc(arguments), bp_arguments_argv(arguments));
  bp_text resolved = {0};
  bp_config_print(config, &resolved);
  bp_free(record->config);
  record->config = bp_strdup(bp_text_string(&resolved));
  record->seed = (uint64_t)config->seed;
  bp_environment_add(record, cases->device);
  bool show = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
  bp_status status = bp_bench_run(cases, record, show ? show_row : NULL, NULL);
  char *message = bp_strdup(bp_message());
  if (!status || record->rows_count) {
    bp_status written = write_record(record, config, format);
    if (status && !written)
      bp_fail(status, "%s", message);
    status = status ? status : written;
  }
  bp_free(message);
  bp_text_destroy(&resolved);
  bp_record_destroy(record);
  return status;
}

bp_status bp_command_run(const bp_arguments *arguments)
{
  bp_config *config = NULL;
  bp_device *device = NULL;
  bp_cases *cases = NULL;
  bp_report_format format = BP_REPORT_TABLE;
  bp_status status = read_config(arguments, &config);
  if (!status)
    status = bp_report_format_find(config->report.format, &format);
  if (!status)
    status = bp_command_open(config, &device);
  if (!status)
    status = bp_cases_create(config, device, &cases);
  if (!status && bp_argument_has(arguments, "dry-run"))
    print_cases(cases, stdout);
  else if (!status)
    status = run_and_report(arguments, cases, format);
  bp_cases_destroy(cases);
  bp_device_destroy(device);
  bp_config_destroy(config);
  return status;
}
