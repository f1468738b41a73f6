/* report.c -- `bp report`: records redrawn as tables, figures, a page; no device is needed. */
#include "cli/command.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* All records of the command line as one. */
static bp_status read_records(const bp_arguments *arguments, bp_record **record)
{
  bp_status status = bp_record_read(bp_argument_at(arguments, 0), record);
  for (int n = 1; !status && n < bp_argument_count(arguments); ++n) {
    bp_record *other = NULL;
    const char *path = bp_argument_at(arguments, n), *slash = strrchr(path, '/');
    status = bp_record_read(path, &other);
    if (!status)
      bp_record_merge(*record, other, slash ? slash + 1 : path);
  }
  return status;
}

/* Takes the text. */
static bp_status write_text(const char *path, bp_text *text)
{
  bp_output *output = NULL;
  bp_status status = bp_output_create(path, &output);
  if (!status) {
    fwrite(bp_text_string(text), 1, text->length, bp_output_stream(output));
    status = bp_output_finish(output);
  }
  bp_text_destroy(text);
  return status;
}

static bp_status write_figure(const bp_figure *figure, const bp_record *record, const char *path)
{
  bp_text svg = {0};
  bp_status status = bp_figure_file(figure, record, &svg);
  return status ? status : write_text(path, &svg);
}

/* Every figure that the record has something for, as FOLDER/NAME.svg. */
static bp_status write_figures(const bp_record *record, const char *folder)
{
  bp_status status = BP_OK;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return bp_fail(BP_ENVIRONMENT, "%s: cannot be made: %s", folder, strerror(errno));
  bp_drawing drawing = bp_drawing_of(record);
  for (int n = 0; !status && n < BP_FIGURES; ++n) {
    if (bp_figures[n].panels(&drawing) == 0)
      continue;
    char *path = bp_format("%s%s.svg", folder, bp_figures[n].name);
    status = write_figure(&bp_figures[n], record, path);
    bp_free(path);
  }
  bp_drawing_destroy(&drawing);
  return status;
}

static bp_status write_svg(const bp_arguments *arguments, const bp_record *record)
{
  const char *path = bp_argument_string(arguments, "svg");
  bool is_folder = *path && path[strlen(path) - 1] == '/';
  if (is_folder && !bp_argument_has(arguments, "figure"))
    return write_figures(record, path);
  if (!is_folder)
    return write_figure(bp_figure_find(bp_argument_string(arguments, "figure")), record, path);
  return bp_fail(BP_BAD_INPUT, "--svg: expected a file for one figure, found the folder '%s'",
                 path);
}

typedef struct {
  const char *option;
  void (*append)(const bp_record *record, bp_text *text);
} writer;

static const writer writers[] = {{"html", bp_report_html},
                                 {"markdown", bp_report_markdown},
                                 {"csv", bp_report_csv},
                                 {"json", bp_record_write_json}};

/* Standard output takes one of them. */
static bp_status check_outputs(const bp_arguments *arguments)
{
  static const char *const options[] = {"svg", "html", "markdown", "csv", "json"};
  const char *first = NULL;
  for (size_t n = 0; n < sizeof options / sizeof *options; ++n) {
    const char *path = bp_argument_string(arguments, options[n]);
    if (!path || strcmp(path, "-") != 0)
      continue;
    if (first)
      return bp_fail(BP_BAD_INPUT,
                     "--%s: expected a file, as --%s goes to standard output, found '-'",
                     options[n], first);
    first = options[n];
  }
  return BP_OK;
}

static bp_status write_all(const bp_arguments *arguments, const bp_record *record)
{
  bool is_written = bp_argument_has(arguments, "svg");
  bp_status status = is_written ? write_svg(arguments, record) : BP_OK;
  for (size_t n = 0; !status && n < sizeof writers / sizeof *writers; ++n) {
    bp_text text = {0};
    if (!bp_argument_has(arguments, writers[n].option))
      continue;
    writers[n].append(record, &text);
    status = write_text(bp_argument_string(arguments, writers[n].option), &text);
    is_written = true;
  }
  if (!status && !is_written)
    bp_report_write(record, BP_REPORT_TABLE, stdout);
  return status;
}

bp_status bp_command_report(const bp_arguments *arguments)
{
  bp_record *record = NULL;
  bp_status status = check_outputs(arguments);
  if (!status && bp_argument_has(arguments, "figure") && !bp_argument_has(arguments, "svg"))
    status = bp_fail(BP_BAD_INPUT, "--figure: expected --svg FILE beside it, found none");
  if (!status)
    status = read_records(arguments, &record);
  if (!status)
    status = write_all(arguments, record);
  bp_record_destroy(record);
  return status;
}
